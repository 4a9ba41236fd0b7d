#include "support/random_system.h"

#include <stdlib.h>

#include "base/rng.h"

enum { PART_AUX = 7, PART_INPUTS = 2, TERMS_MAX = 128, PORTS_MAX = 16 };

/* Variables that the rows of a part may name. */
struct names {
    const var_t *ports; /* handles, or what they stand for */
    uint32_t n_ports;
    uint32_t outer_inputs, outer_aux;
    var_t aux[PART_AUX], inputs[PART_INPUTS];
};

static var_t pick(struct rng *rng, const struct names *names)
{
    switch (rng_below(rng, names->n_ports ? 5 : 4)) {
    case 0: return VAR_INPUT | (uint32_t)rng_below(rng, names->outer_inputs);
    case 1:
        if (names->outer_aux)
            return (var_t)rng_below(rng, names->outer_aux);
        return VAR_ONE;
    case 2: return names->aux[rng_below(rng, PART_AUX)];
    case 3: return names->inputs[rng_below(rng, PART_INPUTS)];
    default: return names->ports[rng_below(rng, names->n_ports)];
    }
}

static uint32_t pick_coef(struct rng *rng, struct recorder *rec)
{
    struct scalar value = {{rng_below(rng, 90)}};

    return rng_below(rng, 2) ? (uint32_t)rng_below(rng, 4) : recorder_coef(rec, &value);
}

static size_t random_terms(struct rng *rng, struct recorder *rec, const struct names *names,
                           unsigned max, struct term terms[TERMS_MAX])
{
    size_t n = rng_below(rng, max + 1);

    for (size_t i = 0; i < n; i++) {
        terms[i] = (struct term){pick(rng, names), pick_coef(rng, rec)};
        if (i > 0 && rng_below(rng, 4) == 0)
            terms[i].var = terms[i - 1].var;
        if (i > 0 && terms[i - 1].coef <= COEF_MINUS_ONE && rng_below(rng, 4) == 0)
            terms[i] = (struct term){terms[i - 1].var, terms[i - 1].coef ^ 1}; /* 1 - 1 */
    }
    return n;
}

/* The same calls for the same seed; only the handles differ. */
static void record_part(const struct random_system *system, struct recorder *rec, uint64_t seed,
                        struct names names)
{
    struct term terms[3][TERMS_MAX];
    struct rng rng;

    rng_seed(&rng, seed);
    for (unsigned i = 0; i < PART_AUX; i++)
        names.aux[i] = recorder_aux(rec, rng_below(&rng, 2));
    for (unsigned i = 0; i < PART_INPUTS; i++)
        names.inputs[i] = recorder_input(rec);
    for (unsigned row = 0; row < system->rows; row++) {
        size_t n[3];

        for (unsigned s = 0; s < 3; s++)
            n[s] = random_terms(&rng, rec, &names, system->terms, terms[s]);
        recorder_row(rec, terms[0], n[0], terms[1], n[1], terms[2], n[2]);
    }
}

static var_t random_import(struct rng *rng, const struct recorder *rec)
{
    return rng_below(rng, 2) ? (var_t)rng_below(rng, recorder_n_aux(rec))
                             : VAR_INPUT | (var_t)rng_below(rng, recorder_n_inputs(rec));
}

static void record_repeat(const struct random_system *system, struct recorder *rec, uint64_t seed,
                          bool flat)
{
    var_t *imports = calloc((size_t)system->count * system->n_ports + 1, sizeof *imports);
    struct names names = {
        .n_ports = system->n_ports,
        .outer_inputs = recorder_n_inputs(rec),
        .outer_aux = (uint32_t)recorder_n_aux(rec),
    };
    var_t handles[PORTS_MAX];
    struct rng rng;

    rng_seed(&rng, seed);
    for (size_t i = 0; i < (size_t)system->count * system->n_ports; i++)
        imports[i] = random_import(&rng, rec);
    for (uint32_t p = 0; p < system->n_ports; p++)
        handles[p] = recorder_port(p);
    if (flat) {
        for (uint32_t k = 0; k < system->count; k++) {
            names.ports = imports + (size_t)k * system->n_ports;
            record_part(system, rec, seed + 1, names);
        }
    } else {
        names.ports = handles;
        recorder_repeat_begin(rec, "part", system->count, system->n_ports, imports);
        while (recorder_block(rec))
            record_part(system, rec, seed + 1, names);
    }
    free(imports);
}

void random_system_record(const struct random_system *system, struct recorder *rec, bool flat)
{
    for (unsigned i = 0; i <= system->n_repeats; i++) {
        const struct names names = {
            .outer_inputs = recorder_n_inputs(rec),
            .outer_aux = (uint32_t)recorder_n_aux(rec),
        };

        record_part(system, rec, system->seed + 10 * i, names);
        if (i < system->n_repeats)
            record_repeat(system, rec, system->seed + 10 * i + 5, flat);
    }
}

enum cuzk_status random_system_load(const struct random_system *system, struct r1cs *ret,
                                    const struct curve *curve, struct budget *budget, bool flat,
                                    struct cuzk_error *err)
{
    struct recorder *rec;
    enum cuzk_status st;

    TRY(recorder_new(&rec, curve, budget, err));
    random_system_record(system, rec, flat);
    st = recorder_finish(rec, ret, err);
    recorder_free(rec);
    return st;
}
