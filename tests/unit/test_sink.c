/* The two sinks agree, blocks can be written in any order by any thread, gadgets have the sizes
 * that upstream's tests assert, and rows have names. */
#include "support/testing.h"

#include "base/pool.h"
#include "circuit/packed_witness.h"
#include "circuit/packing.h"
#include "circuit/por.h"
#include "circuit/poseidon_gadget.h"
#include "circuit/sha256_gadget.h"
#include "r1cs/r1cs.h"
#include "support/satisfied.h"

/* ---- a circuit with a repeat whose blocks share words of the bit string --------------------- */

enum { N_BLOCKS = 9 };

struct example {
    fr_t outer[2], inner[N_BLOCKS];
    uint64_t small;
};

/* A block: 64 k + a few aux, bits and full values mixed, an input, and an outer number as port 0.
 */
static void write_block(struct sink *sink, const struct example *values, num_t outer, unsigned k)
{
    const num_t x = num_alloc(sink, &values->inner[k]);
    bool_t bits[256], odd[3], digest[256];

    num_to_byte_bits(sink, x, bits);
    bits_alloc_u64(sink, values->small >> k, odd, 3);
    sha256_gadget(sink, bits, 256, digest);
    num_inputize(sink, num_add(sink, outer, num_pack_byte_bits(sink, digest)));
    poseidon_gadget(sink, POSEIDON_2, (num_t[]){x, outer});
    bits_alloc_u64(sink, values->small, odd, 3);
}

static num_t fixed_part(struct sink *sink, const struct example *values, num_t outer[2])
{
    bool_t bits[FR_BITS];

    for (int i = 0; i < 2; i++)
        outer[i] = num_alloc(sink, &values->outer[i]);
    num_to_bits(sink, outer[0], bits);
    return num_add(sink, outer[0], outer[1]);
}

static void tail_part(struct sink *sink, const struct example *values)
{
    bool_t bits[13];

    bits_alloc_u64(sink, values->small, bits, 13);
    num_inputize(sink, num_pack(sink, bits, 13));
}

static void record_example(struct r1cs *ret)
{
    static const struct example no_values;
    var_t imports[N_BLOCKS];
    struct recorder *rec;
    struct sink sink;
    num_t outer[2];

    assert_int_equal(recorder_new(&rec, &curve_bls12_381, NULL, NULL), CUZK_OK);
    assert_int_equal(sink_shape_init(&sink, rec, NULL), CUZK_OK);
    fixed_part(&sink, &no_values, outer);
    for (int k = 0; k < N_BLOCKS; k++)
        imports[k] = outer[k % 2].var;
    recorder_repeat_begin(rec, "block", N_BLOCKS, 1, imports);
    while (recorder_block(rec))
        write_block(&sink, &no_values, (num_t){.var = recorder_port(0)}, 0);
    tail_part(&sink, &no_values);
    assert_int_equal(sink_shape_done(&sink, NULL), CUZK_OK);
    assert_int_equal(recorder_finish(rec, ret, NULL), CUZK_OK);
    recorder_free(rec);
}

static void random_values(struct example *values)
{
    struct rng rng;
    uint8_t bytes[32];

    rng_seed(&rng, test_seed());
    for (int i = 0; i < 2 + N_BLOCKS; i++) {
        rng_bytes(&rng, bytes, sizeof bytes);
        bytes[31] &= 0x3f;
        *(i < 2 ? &values->outer[i] : &values->inner[i - 2]) = fr_of_bytes(bytes);
    }
    values->small = rng_u64(&rng);
}

static void write_serially(const struct r1cs *cs, const struct example *values,
                           const struct witness_room *room)
{
    struct sink sink;
    num_t outer[2];
    struct witness_place end;

    sink_witness_init(&sink, room, (struct witness_place){0});
    fixed_part(&sink, values, outer);
    for (unsigned k = 0; k < N_BLOCKS; k++)
        write_block(&sink, values, outer[k % 2], k);
    tail_part(&sink, values);
    end = sink_witness_done(&sink);
    assert_int_equal(end.aux, cs->n_aux);
    assert_int_equal(end.full, cs->n_full);
    assert_int_equal(end.input, cs->n_inputs);
}

struct job {
    const struct r1cs *cs;
    const struct example *values;
    const struct witness_room *room;
    atomic_bool wrong;
};

static bool same_place(struct witness_place a, struct witness_place b)
{
    return a.aux == b.aux && a.full == b.full && a.input == b.input;
}

/* i < N_BLOCKS: a block; then the fixed part; then the tail. */
static void write_piece(void *ctx, size_t i, unsigned worker)
{
    struct job *job = ctx;
    const struct r1cs_repeat *repeat = &job->cs->repeats[0];
    struct witness_place begin = {0}, end, next;
    struct sink sink;
    num_t outer[2] = {{.value = job->values->outer[0]}, {.value = job->values->outer[1]}};

    (void)worker;
    if (i != N_BLOCKS)
        begin = witness_block_place(repeat, i < N_BLOCKS ? (uint32_t)i : N_BLOCKS);
    sink_witness_init(&sink, job->room, begin);
    if (i < N_BLOCKS)
        write_block(&sink, job->values, outer[i % 2], (unsigned)i);
    else if (i == N_BLOCKS)
        fixed_part(&sink, job->values, outer);
    else
        tail_part(&sink, job->values);
    end = sink_witness_done(&sink);
    next = witness_block_place(repeat, i < N_BLOCKS ? (uint32_t)i + 1 : 0);
    if (i <= N_BLOCKS && !same_place(end, next))
        atomic_store(&job->wrong, true);
}

static void test_blocks_written_by_two_threads_give_the_serial_witness(void **state)
{
    struct example values;
    struct r1cs cs;
    struct packed_witness serial, parallel;
    struct pool *pool;

    (void)state;
    random_values(&values);
    record_example(&cs);
    assert_int_equal(cs.n_repeats, 1);
    assert_true(cs.repeats[0].aux_stride % 64 != 0);
    assert_true(cs.repeats[0].aux_base % 64 != 0);
    assert_int_equal(packed_witness_new(&serial, &cs, NULL, NULL), CUZK_OK);
    assert_int_equal(packed_witness_new(&parallel, &cs, NULL, NULL), CUZK_OK);
    write_serially(&cs, &values, &serial.room);
    assert_int_equal(pool_new(&pool, 2, NULL), CUZK_OK);
    {
        struct job job = {.cs = &cs, .values = &values, .room = &parallel.room};

        pool_run(pool, N_BLOCKS + 2, write_piece, &job);
        assert_false(atomic_load(&job.wrong));
    }
    assert_memory_equal(parallel.room.inputs, serial.room.inputs, 32 * cs.n_inputs);
    assert_memory_equal(parallel.room.bits, serial.room.bits, 8 * witness_map_words(cs.n_aux));
    assert_memory_equal(parallel.room.full, serial.room.full, 32 * cs.n_full);
    assert_satisfied(&cs, &parallel.values);
    pool_free(pool);
    packed_witness_done(&serial);
    packed_witness_done(&parallel);
    r1cs_done(&cs);
}

/* Ranges as short as a bit, at every offset within a word, joined in the bit string. */
/* What a call leaves below its caller's frame. */
__attribute__((noinline)) static void leave_rubbish(void)
{
    volatile uint8_t rubbish[4096];

    for (size_t i = 0; i < sizeof rubbish; i++)
        rubbish[i] = 0xa5;
}

static void test_a_new_witness_tells_nobody_how_far_it_is(void **state)
{
    struct packed_witness w;
    struct r1cs cs;

    (void)state;
    record_example(&cs);
    leave_rubbish();
    assert_int_equal(packed_witness_new(&w, &cs, NULL, NULL), CUZK_OK);
    assert_null(w.made.f);
    packed_witness_done(&w);
    r1cs_done(&cs);
}

static void test_short_ranges_join_in_shared_words(void **state)
{
    enum { N = 320 };
    uint64_t inputs[4] = {0}, whole[N / 64] = {0}, pieces[N / 64] = {0}, full[4 * N];
    const struct witness_room at_once = {inputs, whole, full}, in_pieces = {inputs, pieces, full};
    struct sink sink;
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (unsigned at = 0; at < N;) {
        const unsigned left = N - at, n = 1 + (unsigned)rng_below(&rng, left < 64 ? left : 64);
        const uint64_t values = rng_u64(&rng) >> (64 - n);
        const struct witness_place begin = {.aux = at, .input = 1};

        sink_witness_init(&sink, &in_pieces, begin);
        sink_append_bits(&sink, values, n);
        assert_int_equal(sink_witness_done(&sink).aux, at + n);
        for (unsigned i = 0; i < n; i++, at++)
            whole[at / 64] |= (values >> i & 1) << (at % 64);
    }
    assert_memory_equal(pieces, at_once.bits, sizeof pieces);
}

/* ---- sizes ---------------------------------------------------------------------------------- */

struct size {
    uint64_t constraints, aux;
    uint32_t inputs;
};

static void por_64_oct(struct sink *sink)
{
    const struct por_tree tree = {.hash = POR_POSEIDON, .levels = 2, .lg_arity = {3, 3}};

    por_gadget(sink, &tree, (num_t){.var = 0}, &(struct por_path){0}, (num_t){.var = 1});
}

static void por_oct_32gib(struct sink *sink)
{
    const struct por_tree tree = {
        .hash = POR_POSEIDON, .levels = 10, .lg_arity = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3}};

    por_gadget(sink, &tree, (num_t){.var = 0}, &(struct por_path){0}, (num_t){.var = 1});
}

static void por_binary(struct sink *sink, unsigned levels)
{
    struct por_tree tree = {.hash = POR_SHA256, .levels = levels};

    memset(tree.lg_arity, 1, levels);
    por_gadget(sink, &tree, (num_t){.var = 0}, &(struct por_path){0}, (num_t){.var = 1});
}

static void por_64_treed(struct sink *sink)
{
    por_binary(sink, 6);
}

static void por_2p30_treed(struct sink *sink)
{
    por_binary(sink, 30);
}

/* A label of layer 3, node 22, both constant; replica id and 37 parents of 256 allocated bits. */
static void label_of_allocated_bits(struct sink *sink)
{
    static bool_t bits[39 * 256];
    bool_t digest[256];

    for (int word = 0; word < 39; word++)
        for (unsigned i = 0; word != 1 && i < 256; i += 64)
            bits_alloc_u64(sink, 0, bits + 256 * word + i, 64);
    bits_constant_be(3, bits + 256, 32);
    bits_constant_be(22, bits + 288, 64);
    for (int i = 352; i < 512; i++)
        bits[i] = bool_constant(false);
    sha256_gadget(sink, bits, sizeof bits / sizeof *bits, digest);
    num_pack_byte_bits(sink, digest);
}

static void sha256_of_512_bits(struct sink *sink)
{
    bool_t bits[512], digest[256];

    for (unsigned i = 0; i < 512; i += 64)
        bits_alloc_u64(sink, 0, bits + i, 64);
    sha256_gadget(sink, bits, 512, digest);
}

/* Two aux exist already (a leaf and a root). Where upstream has a test of a size, it is this one.
 */
static void test_gadgets_have_upstreams_sizes(void **state)
{
    static const struct {
        const char *name;
        void (*build)(struct sink *sink);
        struct size size;
    } table[] = {
        {"PoR, oct, 64 leaves", por_64_oct, {1062, 1074, 1}},
        {"PoR, oct, 32 GiB", por_oct_32gib, {5302, 5370, 1}},
        {"PoR, TreeD, 64 leaves", por_64_treed, {272294, 272010, 1}},
        {"PoR, TreeD, 2^30 leaves", por_2p30_treed, {1361462, 1360050, 1}},
        {"SHA-256 of 512 bits", sha256_of_512_bits, {512 + 44874, 512 + 44828, 0}},
        {"label of allocated bits", label_of_allocated_bits, {532025, 0, 0}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct recorder *rec;
        struct sink sink;

        assert_int_equal(recorder_new(&rec, &curve_bls12_381, NULL, NULL), CUZK_OK);
        assert_int_equal(sink_shape_init(&sink, rec, NULL), CUZK_OK);
        num_alloc(&sink, NULL);
        num_alloc(&sink, NULL);
        table[i].build(&sink);
        assert_int_equal(recorder_n_rows(rec), table[i].size.constraints);
        if (table[i].size.aux)
            assert_int_equal(recorder_n_aux(rec) - 2, table[i].size.aux);
        assert_int_equal(recorder_n_inputs(rec) - 1, table[i].size.inputs);
        assert_int_equal(sink_shape_done(&sink, NULL), CUZK_OK);
        recorder_free(rec);
    }
}

/* ---- names ---------------------------------------------------------------------------------- */

static void test_rows_of_gadgets_have_names(void **state)
{
    static const struct {
        uint64_t row;
        const char *path;
    } table[] = {
        {0, "to_bits"},   /* a boolean row */
        {255, "to_bits"}, /* the sum */
        {256 + 2, "sha256/block 0"},
        {0, NULL},
    };

    (void)state;
    for (int i = 0; table[i].path; i++) {
        struct recorder *rec;
        struct sink sink;
        bool_t bits[256], digest[256];

        assert_int_equal(recorder_new(&rec, &curve_bls12_381, NULL, NULL), CUZK_OK);
        assert_int_equal(sink_shape_init(&sink, rec, NULL), CUZK_OK);
        recorder_find_row(rec, table[i].row);
        num_to_byte_bits(&sink, num_alloc(&sink, NULL), bits);
        sha256_gadget(&sink, bits, 256, digest);
        assert_string_equal(recorder_found_path(rec), table[i].path);
        assert_int_equal(sink_shape_done(&sink, NULL), CUZK_OK);
        recorder_free(rec);
    }
}

/* ---- failure -------------------------------------------------------------------------------- */

static void test_a_shape_sink_survives_each_failing_allocation(void **state)
{
    size_t n = 0;
    bool failed = true;

    (void)state;
    while (failed) {
        struct recorder *rec;
        struct r1cs cs = {0};
        struct sink sink = {0};
        enum cuzk_status status;

        assert_int_equal(recorder_new(&rec, &curve_bls12_381, NULL, NULL), CUZK_OK);
        mem_fail_at(++n);
        status = sink_shape_init(&sink, rec, NULL);
        if (status == CUZK_OK) {
            num_t a = num_alloc(&sink, NULL);

            poseidon_gadget(&sink, POSEIDON_2, (num_t[]){a, a});
            status = sink_shape_done(&sink, NULL);
        }
        if (status == CUZK_OK)
            status = recorder_finish(rec, &cs, NULL);
        failed = status != CUZK_OK;
        if (failed)
            assert_int_equal(status, CUZK_NO_MEMORY);
        mem_fail_at(0);
        r1cs_done(&cs);
        recorder_free(rec);
        assert_true(n < 1000);
    }
    assert_true(n > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_written_by_two_threads_give_the_serial_witness),
        cmocka_unit_test(test_a_new_witness_tells_nobody_how_far_it_is),
        cmocka_unit_test(test_short_ranges_join_in_shared_words),
        cmocka_unit_test(test_gadgets_have_upstreams_sizes),
        cmocka_unit_test(test_rows_of_gadgets_have_names),
        cmocka_unit_test(test_a_shape_sink_survives_each_failing_allocation),
    };

    return cmocka_run_group_tests_name("sink", tests, NULL, NULL);
}
