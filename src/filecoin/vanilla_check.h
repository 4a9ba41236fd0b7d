/* Are vanilla proofs what they should be, before work goes into proving them?
 *
 * vanilla_check is what a prover must know: a partition agrees with itself and with the public
 * facts. It takes microseconds a challenge. vanilla_check_deep repeats every hash as well: what is
 * accepted satisfies the circuit. About 0.2 s of one core for a 32 GiB partition.
 *
 * Both name the first thing that is wrong, with partition and challenge: CUZK_BAD_INPUT. */
#ifndef FILECOIN_VANILLA_CHECK_H
#define FILECOIN_VANILLA_CHECK_H

#include "filecoin/vanilla.h"

/* Of one partition: comm_d, comm_r and seed are not zero; comm_r = H2(comm_c, comm_r_last); all
 * proofs have the same comm_c, comm_r_last and comm_d; challenges and parents are the nodes that
 * the config derives, in the node numbers, column numbers and paths. partition <
 * config->partitions. */
MUST_CHECK enum cuzk_status vanilla_check(const struct vanilla_porep *vanilla,
                                          const struct porep_config *config, unsigned partition,
                                          struct cuzk_error *err);

/* Besides: all paths lead to their roots, all columns hash to their leaves, the labels follow from
 * the parents' labels, which labeling_proofs and encoding_proof repeat, and data plus last label is
 * the encoded node. */
MUST_CHECK enum cuzk_status vanilla_check_deep(const struct vanilla_porep *vanilla,
                                               const struct porep_config *config,
                                               unsigned partition, struct cuzk_error *err);

#endif
