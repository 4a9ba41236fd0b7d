/* What each case of tests/vectors/filecoin/gadgets allocates, in order (the "note" of its entry in
 * the index). The parameters are those of the table in gadget_cases.c. */
#ifndef SUPPORT_GADGET_BUILDERS_H
#define SUPPORT_GADGET_BUILDERS_H

#include "support/gadget_run.h"

enum { XOR, AND, CH, MAJ };
enum { ALLOC, CONSTANT, MIXED };                  /* the bits of a message */
enum { LEAF_VALUE, LEAF_VARIABLE, GIVEN, TREED }; /* proofs of inclusion */

void build_bit_ops(struct gadget_run *run, unsigned parameter);
void build_bool_binary(struct gadget_run *run, unsigned operation);
void build_bool_ternary(struct gadget_run *run, unsigned operation);
void build_bool_alias(struct gadget_run *run, unsigned parameter);
void build_bool_enforce_equal(struct gadget_run *run, unsigned parameter);
void build_uint32_ops(struct gadget_run *run, unsigned parameter);
void build_addmany(struct gadget_run *run, unsigned n);
void build_addmany_const(struct gadget_run *run, unsigned parameter);
void build_multieq_flush(struct gadget_run *run, unsigned parameter);
void build_multieq_254(struct gadget_run *run, unsigned parameter);
void build_sha256(struct gadget_run *run, unsigned parameter);
void build_sha256_block(struct gadget_run *run, unsigned parameter);
void build_to_bits_minus_one(struct gadget_run *run, unsigned parameter);
void build_bits_from_values(struct gadget_run *run, unsigned parameter);
void build_num_ops(struct gadget_run *run, unsigned parameter);
void build_num_lc(struct gadget_run *run, unsigned parameter);
void build_pack(struct gadget_run *run, unsigned n);
void build_uint64(struct gadget_run *run, unsigned parameter);
void build_poseidon(struct gadget_run *run, unsigned kind);
void build_poseidon_chain(struct gadget_run *run, unsigned parameter);
void build_treed_node(struct gadget_run *run, unsigned parameter);
void build_insert(struct gadget_run *run, unsigned lg_arity);
void build_select(struct gadget_run *run, unsigned lg_n);
void build_por(struct gadget_run *run, unsigned how);
void build_label(struct gadget_run *run, unsigned layer);

#endif
