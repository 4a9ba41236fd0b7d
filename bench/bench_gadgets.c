/* Gadgets: Poseidon over values (in lanes where the processor has them; CUZK_CPU=portable for the
 * other), and the making of witnesses. No peer runs here; rust-fil-proofs
 * needs 25 to 36 s on one core for the 130 million aux of a 32 GiB partition, 190 ns each. */
#include "bench.h"

#include "circuit/packing.h"
#include "circuit/poseidon_constants.h"
#include "circuit/poseidon_gadget.h"
#include "circuit/sha256_gadget.h"

enum { N_HASHES = 200, N_BLOCKS = 20, MESSAGE_BITS = 512 * N_BLOCKS - 65 };

static enum poseidon_kind kind;
static fr_t preimage[11], preimages[N_HASHES * 11], hashes[N_HASHES];

static void hash_one_by_one(void *ctx)
{
    (void)ctx;
    for (int i = 0; i < N_HASHES; i++)
        poseidon_hash(kind, &preimage[0], preimage, 1);
}

static void hash_in_bulk(void *ctx)
{
    (void)ctx;
    poseidon_hash(kind, hashes, preimages, N_HASHES);
}

/* ---- witnesses ---- */

static struct witness_room room;
static struct witness_place end;

static void hash_witness(void *ctx)
{
    struct sink sink;
    num_t nums[11];

    (void)ctx;
    sink_witness_init(&sink, &room, (struct witness_place){0});
    for (unsigned i = 0; i < poseidon_arity(kind); i++)
        nums[i] = num_alloc(&sink, &preimage[i]);
    for (int i = 0; i < N_HASHES; i++)
        nums[0] = poseidon_gadget(&sink, kind, nums);
    end = sink_witness_done(&sink);
}

static void sha256_witness(void *ctx)
{
    static bool_t message[MESSAGE_BITS], digest[256];
    struct sink sink;

    (void)ctx;
    sink_witness_init(&sink, &room, (struct witness_place){0});
    for (unsigned i = 0; i < MESSAGE_BITS; i += 64)
        bits_alloc_u64(&sink, 0x9e3779b97f4a7c15 * i, message + i,
                       MESSAGE_BITS - i < 64 ? (unsigned)MESSAGE_BITS - i : 64);
    sha256_gadget(&sink, message, MESSAGE_BITS, digest);
    end = sink_witness_done(&sink);
}

static void per_aux(const char *title, bench_fn *f)
{
    f(NULL);
    bench_run(&(struct bench){.title = title,
                              .rounds = 21,
                              .units_per_second = 1e9 / (double)end.aux,
                              .unit = "ns an aux",
                              .ours = f});
}

int main(void)
{
    static const char *names[POSEIDON_N_KINDS] = {"2", "4", "8", "11", "gen"};
    const double begin = clock_seconds();
    char title[64];

    poseidon_constants(POSEIDON_2);
    printf("poseidon constants of all arities %.1f ms\n", 1e3 * (clock_seconds() - begin));
    room.inputs = calloc(16, 32);
    room.bits = calloc(1 << 20, 8);
    room.full = calloc((size_t)N_HASHES * POSEIDON_TRACE_MAX + 16, 32);
    for (uint64_t i = 0; i < 11; i++)
        preimage[i] = fr_of_u64(i * i + 3);
    for (uint64_t i = 0; i < (uint64_t)N_HASHES * 11; i++)
        preimages[i] = fr_of_u64(i * i + 3);
    for (kind = POSEIDON_2; kind < POSEIDON_GEN_RANDOMNESS; kind++) {
        for (int bulk = 0; bulk < 2; bulk++) {
            snprintf(title, sizeof title, "poseidon bls12_381 arity %s, %s 1", names[kind],
                     bulk ? "in bulk" : "one by one");
            bench_run(&(struct bench){.title = title,
                                      .rounds = 21,
                                      .units_per_second = 1e6 / N_HASHES,
                                      .unit = "us",
                                      .ours = bulk ? hash_in_bulk : hash_one_by_one});
        }
        snprintf(title, sizeof title, "witness poseidon arity %s 1", names[kind]);
        per_aux(title, hash_witness);
    }
    per_aux("witness sha256 20 blocks 1", sha256_witness);
    return 0;
}
