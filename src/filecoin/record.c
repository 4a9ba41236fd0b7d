#include "filecoin/record.h"

#include <stdio.h>

enum cuzk_status record_circuit(struct r1cs *ret, circuit_fn *circuit, const void *shape,
                                struct budget *budget, struct cuzk_error *err)
{
    enum cuzk_status st;
    struct recorder *rec;

    TRY(recorder_new(&rec, &curve_bls12_381, budget, err));
    TRY_GOTO(st, out, circuit(rec, shape, err));
    st = recorder_finish(rec, ret, err);
out:
    recorder_free(rec);
    return st;
}

enum cuzk_status record_row_path(char *out, size_t n, circuit_fn *circuit, const void *shape,
                                 uint64_t row, struct budget *budget, struct cuzk_error *err)
{
    enum cuzk_status st;
    struct recorder *rec;

    TRY(recorder_new(&rec, &curve_bls12_381, budget, err));
    recorder_find_row(rec, row);
    TRY_GOTO(st, done, circuit(rec, shape, err));
    snprintf(out, n, "%s", recorder_found_path(rec));
done:
    recorder_free(rec);
    return st;
}
