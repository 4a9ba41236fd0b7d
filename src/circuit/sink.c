#include "circuit/sink.h"

#include "circuit/poseidon_gadget.h"
#include "circuit/shape.h"

enum cuzk_status sink_shape_init(struct sink *sink, struct recorder *rec, struct cuzk_error *err)
{
    struct shape *shape = mem_new(sizeof *shape);
    fr_t power = fr_one;

    *sink = (struct sink){.shape = shape};
    if (!shape)
        return error_set(err, CUZK_NO_MEMORY, "no memory for the recording of a circuit");
    shape->rec = rec;
    for (unsigned i = 0; i < FR_BITS; i++) {
        const struct scalar plus = fr_to_scalar(&power);
        struct scalar minus;
        fr_t negative;

        fr_neg(&negative, &power);
        minus = fr_to_scalar(&negative);
        shape->pow2_value[i] = power;
        shape->pow2[i] = recorder_coef(rec, &plus);
        shape->minus_pow2[i] = recorder_coef(rec, &minus);
        fr_dbl(&power, &power);
    }
    return CUZK_OK;
}

enum cuzk_status sink_shape_done(struct sink *sink, struct cuzk_error *err)
{
    struct shape *shape = sink->shape;
    enum cuzk_status status;

    if (!shape)
        return CUZK_OK;
    status = shape->status;
    for (int kind = 0; kind < POSEIDON_N_KINDS; kind++)
        mem_free(shape->poseidon[kind]);
    mem_free(shape);
    *sink = (struct sink){0};
    if (status != CUZK_OK)
        return error_set(err, status, "no memory for the rows of a gadget");
    return CUZK_OK;
}

void sink_witness_init(struct sink *sink, const struct witness_room *room,
                       struct witness_place begin)
{
    *sink = (struct sink){.room = *room, .at = begin, .first_word = begin.aux / 64};
    if (begin.input == 0)
        sink_input(sink, &fr_one);
}

struct witness_place sink_witness_done(struct sink *sink)
{
    if (sink->at.aux % 64) {
        __atomic_fetch_or(&sink->room.bits[sink->at.aux / 64], sink->pending, __ATOMIC_RELAXED);
        sink->pending = 0;
    }
    return sink->at;
}

var_t sink_shape_aux(struct sink *sink, bool is_bit)
{
    return recorder_aux(sink->shape->rec, is_bit);
}

var_t sink_input(struct sink *sink, const fr_t *value)
{
    fr_t plain;

    if (sink_is_shape(sink))
        return recorder_input(sink->shape->rec);
    fr_to_plain(&plain, value);
    memcpy(sink->room.inputs + (size_t)FR_LIMBS * sink->at.input, plain.l, sizeof plain.l);
    return VAR_INPUT | sink->at.input++;
}

void sink_shape_scope(struct sink *sink, const char *name)
{
    recorder_scope(sink->shape->rec, name);
}

void sink_shape_scope_index(struct sink *sink, const char *name, unsigned index)
{
    recorder_scope_index(sink->shape->rec, name, index);
}

void sink_shape_scope_end(struct sink *sink)
{
    recorder_scope_end(sink->shape->rec);
}
