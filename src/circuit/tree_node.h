/* The node of TreeD: SHA-256 of two children of 32 bytes, its two top bits cleared. */
#ifndef CIRCUIT_TREE_NODE_H
#define CIRCUIT_TREE_NODE_H

#include "circuit/num.h"

/* Values: bytes as in the tree. out may be left or right. */
void sha256_node(uint8_t out[32], const uint8_t left[32], const uint8_t right[32]);

/* Circuit: both children to bits, the hash, packed again. */
num_t sha256_node_gadget(struct sink *sink, num_t left, num_t right);

#endif
