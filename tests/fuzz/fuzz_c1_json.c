/* A C1 from anybody, by c1_read: JSON of both forms and the wrapper (and bincode, where the bytes
 * begin like it). */
#include "filecoin/c1.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const int proofs[] = {-1, 5}; /* nothing known; a sector of 2 KiB */

    for (unsigned i = 0; i < 2; i++) {
        const struct c1_hints hints = {.registered_proof = proofs[i]};
        struct budget budget;
        struct cuzk_error err;
        struct c1 c1;

        budget_init(&budget, 0);
        if (c1_read(&c1, data, n, "c1", &hints, &budget, &err) == CUZK_OK)
            c1_done(&c1);
        if (budget.now != 0)
            __builtin_trap();
    }
    return 0;
}
