/* C1 in bincode as a sector of 2, 4, 16 and 32 KiB (the four forms of Merkle proofs); what is read
 * goes through both checks. */
#include "filecoin/c1_bincode.h"
#include "filecoin/vanilla_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    for (unsigned i = 0; i < 4; i++) {
        struct porep_config config = {
            .shape = sector_sizes[i].porep, .partitions = 1, .version = API_1_1_0, .porep_id = {5}};
        struct reader r = reader_over(data, n, "c1");
        struct vanilla_porep v;
        struct cuzk_error err;

        if (c1_bincode_read(&v, &r, &config.shape, config.partitions, NULL, &err) != CUZK_OK)
            continue;
        if (r.at != n)
            __builtin_trap();
        if (vanilla_check(&v, &config, 0, &err) == CUZK_OK &&
            vanilla_check_deep(&v, &config, 0, &err) == CUZK_INTERNAL)
            __builtin_trap();
        vanilla_porep_done(&v);
    }
    return 0;
}
