#include "circuit/tree_node.h"

#include "base/hash.h"
#include "circuit/packing.h"
#include "circuit/sha256_gadget.h"

void sha256_node(uint8_t out[32], const uint8_t left[32], const uint8_t right[32])
{
    uint8_t children[64];

    memcpy(children, left, 32);
    memcpy(children + 32, right, 32);
    sha256(out, children, sizeof children);
    out[31] &= 0x3f;
}

num_t sha256_node_gadget(struct sink *sink, num_t left, num_t right)
{
    bool_t children[512], digest[256];
    num_t node;

    sink_scope(sink, "node");
    num_to_byte_bits(sink, left, children);
    num_to_byte_bits(sink, right, children + 256);
    sha256_gadget(sink, children, 512, digest);
    node = num_pack_byte_bits(sink, digest);
    sink_scope_end(sink);
    return node;
}
