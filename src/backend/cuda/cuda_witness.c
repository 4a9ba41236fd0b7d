/* Packed witnesses on the device: as they are on the host (backend/witness.h), inputs before the
 * full values, so that one index names either. */
#include "backend/cuda/cuda_witness.h"

/* Places of the parts from `base` on; returns their bytes. */
static size_t place_parts(struct witness_handle *h, size_t fr_bytes, uint8_t *base)
{
    const size_t map_bytes = witness_map_words(h->n_aux) * sizeof(uint64_t);
    size_t used = 0;

    h->values = cuda_place(base, &used, (h->n_inputs + h->n_full) * fr_bytes);
    h->full_map = cuda_place(base, &used, map_bytes);
    h->bits = cuda_place(base, &used, map_bytes);
    h->full_rank = cuda_place(base, &used, witness_rank_entries(h->n_aux) * sizeof(uint32_t));
    h->records = cuda_place(base, &used, 4 * map_bytes);
    return used;
}

size_t cuda_witness_bytes(const struct curve *curve, const struct witness *shape)
{
    struct witness_handle h = {
        .n_inputs = shape->n_inputs, .n_aux = shape->n_aux, .n_full = shape->n_full};

    return cuda_piece(place_parts(&h, curve->fr_bytes, NULL));
}

/* ---- the witness ---------------------------------------------------------------------------- */

static enum cuzk_status put_parts(struct stream *s, const struct witness_handle *h,
                                  const struct witness *w, struct cuzk_error *err)
{
    const size_t map_bytes = witness_map_words(h->n_aux) * sizeof(uint64_t);
    const struct {
        void *to;
        const void *from;
        size_t bytes;
    } parts[] = {
        {h->values, w->inputs, w->n_inputs * w->fr_bytes},
        {h->values + w->n_inputs * w->fr_bytes, w->full, w->n_full * w->fr_bytes},
        {h->bits, w->bits, map_bytes},
    };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TRY(cuda_upload(s->device, parts[i].to, parts[i].from, parts[i].bytes, s->cuda, err));
    return CU(s->device->kernels->witness_records(h->records, h->full_map, h->bits, h->full_rank,
                                                  witness_map_words(h->n_aux), s->cuda),
              err);
}

static enum cuzk_status send_classes(const struct witness_handle *h, const struct witness *shape,
                                     struct cuzk_error *err)
{
    if (shape->n_aux)
        TRY(CU(cudaMemcpy(h->full_map, shape->full_map,
                          witness_map_words(h->n_aux) * sizeof(uint64_t), cudaMemcpyHostToDevice),
               err));
    TRY(CU(cudaMemcpy(h->full_rank, shape->full_rank,
                      witness_rank_entries(h->n_aux) * sizeof(uint32_t), cudaMemcpyHostToDevice),
           err));
    return CU(cudaStreamSynchronize(NULL), err); /* no other stream waits for these */
}

enum cuzk_status cuda_witness_new(struct device *d, const struct witness *shape,
                                  struct witness_handle **ret, struct cuzk_error *err)
{
    struct witness_handle *h = mem_new(sizeof *h);
    enum cuzk_status st;

    if (!h)
        return error_set(err, CUZK_NO_MEMORY, "witness: out of memory");
    h->device = d;
    h->n_inputs = shape->n_inputs;
    h->n_aux = shape->n_aux;
    h->n_full = shape->n_full;
    TRY_GOTO(st, out, cuda_tiles_make(d, err));
    TRY_GOTO(st, out, cuda_take(d, place_parts(h, shape->fr_bytes, NULL), &h->piece, err));
    (void)place_parts(h, shape->fr_bytes, cuda_at(d, h->piece));
    TRY_GOTO(st, out, send_classes(h, shape, err));
    *ret = h;
    h = NULL;
out:
    cuda_witness_free(h);
    return st;
}

void cuda_witness_put(struct stream *s, struct witness_handle *h, const struct witness *witness)
{
    if (cuda_op_begin(s, "witness_put"))
        cuda_op_end(s, put_parts(s, h, witness, &s->failure), &s->failure);
}

void cuda_witness_free(struct witness_handle *h)
{
    if (!h)
        return;
    cuda_give(h->device, h->piece);
    mem_free(h);
}
