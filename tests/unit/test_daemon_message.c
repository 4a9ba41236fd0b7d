/* Requests for proofs, read from files: fields and the places of vanilla proofs; what is no such
 * request; how urgent one is by its head. */
#include "support/testing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/proving_message.h"

/* ---- messages by hand ------------------------------------------------------------------------ */

struct bytes {
    size_t n;
    uint8_t at[60000];
};

static void put_varint(struct bytes *b, uint64_t value)
{
    for (; value > 127; value >>= 7)
        b->at[b->n++] = (uint8_t)(value | 128);
    b->at[b->n++] = (uint8_t)value;
}

static void put_number(struct bytes *b, unsigned tag, uint64_t value)
{
    put_varint(b, tag << 3);
    put_varint(b, value);
}

static void put_long(struct bytes *b, unsigned tag, const void *bytes, size_t n)
{
    put_varint(b, tag << 3 | 2);
    put_varint(b, n);
    memcpy(b->at + b->n, bytes, n);
    b->n += n;
}

static uint8_t filler[40000];

/* The fields in their order, or the other way round. */
static void put_winning(struct bytes *b, bool backwards)
{
    static const size_t sizes[] = {100, 0, 20000};

    for (unsigned i = 0; i < 11; i++) {
        switch (backwards ? 10 - i : i) {
        case 0: put_long(b, 1, "winpost-1000-ab", 15); break;
        case 1: put_number(b, 2, JOB_WINNING); break;
        case 2: put_number(b, 3, UINT64_C(34359738368)); break;
        case 3: put_number(b, 4, 13); break;
        case 4: put_number(b, 5, PRIORITY_HIGH); break;
        case 5:
            for (int k = 0; k < 3; k++)
                put_long(b, 11, filler, sizes[k]);
            break;
        case 6: put_number(b, 20, 77); break;
        case 7: put_number(b, 21, 1000); break;
        case 8: put_long(b, 22, filler, 32); break;
        case 9: put_number(b, 23, 5); break;
        case 10: put_number(b, 100, 86400000); break;
        }
    }
}

static int file_of(const struct bytes *b)
{
    int fd = open(CUZK_BINARY_DIR, O_TMPFILE | O_RDWR, 0600);

    assert_int_equal(write(fd, b->at, b->n), b->n);
    return fd;
}

static enum cuzk_status decode(struct job_request *request, const struct bytes *b, bool prove,
                               struct cuzk_error *err)
{
    int fd = file_of(b);
    enum cuzk_status st;

    memset(request, 0, sizeof *request);
    st = (prove ? proving_decode_prove : proving_decode_submit)(request, fd, b->n, err);
    close(fd);
    return st;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void check_winning(const struct job_request *r, const struct bytes *b)
{
    static const size_t sizes[] = {100, 0, 20000};

    assert_string_equal(r->request_id, "winpost-1000-ab");
    assert_int_equal(r->kind, JOB_WINNING);
    assert_int_equal(r->priority, PRIORITY_HIGH);
    assert_int_equal(r->sector_size, UINT64_C(34359738368));
    assert_int_equal(r->registered_proof, 13);
    assert_int_equal(r->sector_number, 77);
    assert_int_equal(r->deadline_ms, 86400000);
    assert_int_equal(r->miner_id, 1000);
    assert_int_equal(r->partition_index, 5);
    assert_int_equal(r->n_randomness, 32);
    assert_memory_equal(r->randomness, filler, 32);
    assert_int_equal(r->n_comm_r_old, 0);
    assert_int_equal(job_request_n_ranges(r), 3);
    for (int i = 0; i < 3; i++) {
        struct job_range range = job_request_ranges(r)[i];

        assert_int_equal(range.bytes, sizes[i]);
        assert_memory_equal(b->at + range.offset, filler, range.bytes);
    }
}

static void test_fields_and_places_are_found_in_any_order(void **state)
{
    static struct bytes inner, outer;
    struct job_request request;
    struct cuzk_error err;

    (void)state;
    for (int backwards = 0; backwards < 2; backwards++) {
        inner.n = outer.n = 0;
        put_winning(&inner, backwards);
        if (decode(&request, &inner, false, &err) != CUZK_OK)
            fail_msg("%s", err.message);
        check_winning(&request, &inner);
        job_request_done(&request);
        put_number(&outer, 99, 1); /* fields to come are stepped over */
        put_long(&outer, 98, filler, 9000);
        put_long(&outer, 1, inner.at, inner.n);
        if (decode(&request, &outer, true, &err) != CUZK_OK)
            fail_msg("%s", err.message);
        check_winning(&request, &outer);
        job_request_done(&request);
    }
}

static void test_a_porep_has_one_vanilla_proof(void **state)
{
    static struct bytes b;
    struct job_request request;
    struct cuzk_error err;

    (void)state;
    b.n = 0;
    put_number(&b, 2, JOB_POREP);
    put_long(&b, 10, "first", 5);
    put_long(&b, 10, "the last counts", 15);
    assert_int_equal(decode(&request, &b, false, &err), CUZK_OK);
    assert_int_equal(job_request_n_ranges(&request), 1);
    assert_memory_equal(b.at + job_request_ranges(&request)->offset, "the last counts", 15);
    assert_int_equal(request.priority, PRIORITY_NONE);
    job_request_done(&request);
}

struct refused {
    unsigned kind;
    unsigned tag; /* one more field; 0: none */
    size_t n;     /* of it; SIZE_MAX: a number */
    const char *sentence;
};

static void test_what_is_no_request_is_refused_by_its_field(void **state)
{
    static const struct refused cases[] = {
        {0, 0, 0, "proof_kind: expected 1 to 4, found 0"},
        {5, 0, 0, "proof_kind: expected 1 to 4, found 5"},
        {JOB_POREP, 0, 0, "takes vanilla_proof (one), found 0"},
        {JOB_POREP, 11, 10, "takes vanilla_proof (one), found 1"},
        {JOB_WINDOW, 0, 0, "takes vanilla_proofs, found none"},
        {JOB_WINDOW, 10, 10, "takes vanilla_proofs, found vanilla_proof"},
        {JOB_WINDOW, 22, 31, "randomness: expected 32 bytes, found 31"},
        {JOB_WINDOW, 22, 33, "the request is no cuzk.v1.SubmitProofRequest: offset"},
        {JOB_WINDOW, 30, 1, "comm_r_old: expected 32 bytes, found 1"},
        {JOB_WINDOW, 31, 1, "comm_r_new: expected 32 bytes, found 1"},
        {JOB_WINDOW, 32, 1, "comm_d_new: expected 32 bytes, found 1"},
        {JOB_WINDOW, 1, 256, "the request is no cuzk.v1.SubmitProofRequest: offset"},
        {JOB_WINDOW, 11, SIZE_MAX, "the request is no cuzk.v1.SubmitProofRequest: offset"},
    };
    static struct bytes b;
    struct job_request request;
    struct cuzk_error err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        b.n = 0;
        put_number(&b, 2, cases[i].kind);
        if (cases[i].n == SIZE_MAX)
            put_number(&b, cases[i].tag, 1);
        else if (cases[i].tag)
            put_long(&b, cases[i].tag, filler, cases[i].n);
        assert_int_equal(decode(&request, &b, false, &err), CUZK_BAD_INPUT);
        if (!strstr(err.message, cases[i].sentence))
            fail_msg("case %zu: %s", i, err.message);
        job_request_done(&request);
    }
    b.n = 0;
    assert_int_equal(decode(&request, &b, true, &err), CUZK_BAD_INPUT);
    assert_string_equal(err.message, "submit: it is missing");
}

/* A cut message never reads beyond its end, and is refused unless the cut is between fields. */
static void test_every_cut_of_a_request_ends_well(void **state)
{
    static struct bytes inner, whole, cut;
    struct job_request request;
    struct cuzk_error err;
    unsigned good = 0;

    (void)state;
    inner.n = whole.n = 0;
    put_winning(&inner, false);
    put_long(&whole, 1, inner.at, inner.n);
    cut = whole;
    for (cut.n = 0; cut.n < whole.n; cut.n += cut.n < 400 || whole.n - cut.n < 100 ? 1 : 997) {
        good += decode(&request, &cut, true, &err) == CUZK_OK;
        job_request_done(&request);
    }
    assert_int_equal(good, 0);
}

static void test_too_many_proofs_are_refused(void **state)
{
    struct job_request request = {0};
    struct cuzk_error err = {0};
    static struct bytes b;
    int fd;

    (void)state;
    b.n = 0;
    put_number(&b, 2, JOB_WINDOW);
    for (int i = 0; i < 25000; i++)
        put_long(&b, 11, "", 0);
    fd = open(CUZK_BINARY_DIR, O_TMPFILE | O_RDWR, 0600);
    for (int i = 0; i < 3; i++)
        assert_int_equal(write(fd, b.at, b.n), b.n);
    assert_int_equal(proving_decode_submit(&request, fd, 3 * b.n, &err), CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, "65536"));
    close(fd);
    job_request_done(&request);
}

/* ---- how urgent ------------------------------------------------------------------------------ */

static unsigned urgency(unsigned kind, unsigned priority, size_t n_id, bool prove)
{
    static struct bytes inner, outer;

    inner.n = outer.n = 0;
    put_long(&inner, 1, filler, n_id);
    if (kind)
        put_number(&inner, 2, kind);
    put_number(&inner, 3, 2048);
    if (priority)
        put_number(&inner, 5, priority);
    put_long(&inner, kind == JOB_POREP ? 10 : 11, filler, 30000);
    if (!prove)
        return proving_urgency_submit(inner.at, 512);
    put_long(&outer, 1, inner.at, inner.n);
    return proving_urgency_prove(outer.at, 512);
}

static void test_the_head_tells_how_urgent_a_request_is(void **state)
{
    (void)state;
    for (int prove = 0; prove < 2; prove++) {
        assert_int_equal(urgency(JOB_WINNING, 0, 40, prove), 0);
        assert_int_equal(urgency(JOB_WINDOW, 0, 40, prove), 1);
        assert_int_equal(urgency(JOB_POREP, 0, 40, prove), 2);
        assert_int_equal(urgency(JOB_UPDATE, 0, 255, prove), 2);
        assert_int_equal(urgency(JOB_POREP, PRIORITY_CRITICAL, 40, prove), 0);
        assert_int_equal(urgency(JOB_WINNING, PRIORITY_LOW, 40, prove), 3);
        assert_int_equal(urgency(JOB_WINNING, 77, 40, prove), 2); /* no such priority: NORMAL */
        assert_int_equal(urgency(JOB_WINNING, 0, 600, prove), 2); /* the head does not tell */
        assert_int_equal(urgency(0, 0, 0, prove), 2);
    }
    assert_int_equal(proving_urgency_prove((const uint8_t *)"\x12\x01x", 3), 2);
    assert_int_equal(proving_urgency_prove(filler, 0), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_and_places_are_found_in_any_order),
        cmocka_unit_test(test_a_porep_has_one_vanilla_proof),
        cmocka_unit_test(test_what_is_no_request_is_refused_by_its_field),
        cmocka_unit_test(test_every_cut_of_a_request_ends_well),
        cmocka_unit_test(test_too_many_proofs_are_refused),
        cmocka_unit_test(test_the_head_tells_how_urgent_a_request_is),
    };

    for (size_t i = 0; i < sizeof filler; i++)
        filler[i] = (uint8_t)(i * 31 + i / 256);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
