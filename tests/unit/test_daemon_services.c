/* Health and server reflection, over a server that has the test's service too. */
#include "support/testing.h"

#include <health.pb.h>

#include "daemon/client.h"
#include "daemon/proving_message.h"
#include "daemon/service_health.h"
#include "daemon/service_reflection.h"
#include "support/daemon/rpc_fixture.h"

static struct rpc_fixture server;
static struct service_health *health;
static struct service_reflection *reflection;

static void add_services(struct rpc_fixture *f)
{
    struct cuzk_error err;

    if (service_health_new(&health, f->rpc, &err) ||
        service_reflection_new(&reflection, f->rpc, &err))
        abort();
}

static int set_up(void **state)
{
    (void)state;
    rpc_fixture_start(&server, NULL, NULL, NULL);
    rpc_fixture_do(&server, add_services);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    rpc_fixture_stop(&server);
    service_health_free(health);
    service_reflection_free(reflection);
    return 0;
}

struct answers {
    unsigned n, stop_after;
    void (*on_first)(struct rpc_fixture *f);
    size_t n_bytes;
    uint8_t bytes[32768];
};

static bool collect(void *ctx, const uint8_t *message, size_t n)
{
    struct answers *a = ctx;

    assert_true(a->n_bytes + n <= sizeof a->bytes);
    memcpy(a->bytes + a->n_bytes, message, n);
    a->n_bytes += n;
    if (++a->n == 1 && a->on_first)
        rpc_fixture_do(&server, a->on_first);
    return a->n != a->stop_after;
}

static enum grpc_code ask(const char *method, const void *bytes, size_t n, struct answers *a)
{
    struct client_part part = {.bytes = bytes, .n = n};
    struct client_request request = {.method = method, .parts = &part, .n_parts = 1};
    struct client_answer answer;
    struct client *client;
    struct cuzk_error err;

    if (client_open(&client, &server.address, NULL, &err) != CUZK_OK ||
        client_call(client, &request, collect, a, &answer, &err) != CUZK_OK)
        fail_msg("%s", err.message);
    client_close(client);
    return answer.code;
}

/* ---- health ---------------------------------------------------------------------------------- */

#define CHECK "/grpc.health.v1.Health/Check"
#define WATCH "/grpc.health.v1.Health/Watch"

static void stop_serving(struct rpc_fixture *f)
{
    (void)f;
    service_health_set(health, false);
    service_health_set(health, false); /* no news */
}

static void test_health_is_told_for_the_server_and_its_services(void **state)
{
    struct answers a = {0};

    (void)state;
    assert_int_equal(ask(CHECK, "", 0, &a), GRPC_OK);
    assert_int_equal(ask(CHECK, "\x0a\x09test.Test", 11, &a), GRPC_OK);
    assert_int_equal(a.n_bytes, 4);
    assert_memory_equal(a.bytes, "\x08\1\x08\1", 4); /* SERVING */
    assert_int_equal(ask(CHECK, "\x0a\x03who", 5, &a), GRPC_NOT_FOUND);
    assert_int_equal(ask(CHECK, "\x0a\x09test", 6, &a), GRPC_INVALID_ARGUMENT);
    rpc_fixture_do(&server, stop_serving);
    a.n_bytes = 0;
    assert_int_equal(ask(CHECK, "", 0, &a), GRPC_OK);
    assert_memory_equal(a.bytes, "\x08\2", 2); /* NOT_SERVING */
}

static void test_watchers_hear_of_changes(void **state)
{
    struct answers a = {.stop_after = 2, .on_first = stop_serving};

    (void)state;
    assert_int_equal(ask(WATCH, "", 0, &a), GRPC_CANCELLED); /* we had enough */
    assert_int_equal(a.n_bytes, 4);
    assert_memory_equal(a.bytes, "\x08\1\x08\2", 4);
    a = (struct answers){.stop_after = 1};
    assert_int_equal(ask(WATCH, "\x0a\x03who", 5, &a), GRPC_CANCELLED);
    assert_memory_equal(a.bytes, "\x08\3", 2); /* SERVICE_UNKNOWN */
}

/* ---- reflection ------------------------------------------------------------------------------ */

#define REFLECT(version) "/grpc.reflection." version ".ServerReflection/ServerReflectionInfo"

static bool holds(const struct answers *a, const char *text)
{
    return memmem(a->bytes, a->n_bytes, text, strlen(text)) != NULL;
}

/* A request of one text field. */
static void reflect(struct answers *a, unsigned tag, const char *text, const char *method)
{
    uint8_t request[128] = {(uint8_t)(tag << 3 | 2), (uint8_t)strlen(text)};

    memcpy(request + 2, text, strlen(text));
    *a = (struct answers){0};
    assert_int_equal(ask(method, request, 2 + strlen(text), a), GRPC_OK);
    assert_int_equal(a->n, 1);
    assert_true(a->bytes[0] == 0x0a && holds(a, text)); /* the question comes back */
}

static void test_services_are_listed(void **state)
{
    static const char *const names[] = {"test.Test", "grpc.health.v1.Health",
                                        "grpc.reflection.v1.ServerReflection",
                                        "grpc.reflection.v1alpha.ServerReflection"};
    struct answers a;

    (void)state;
    for (int i = 0; i < 4; i++) {
        reflect(&a, 7, "*", i % 2 ? REFLECT("v1") : REFLECT("v1alpha"));
        assert_true(holds(&a, names[i]));
    }
}

static void test_files_are_found_by_name_and_by_symbol(void **state)
{
    static const struct {
        unsigned tag;
        const char *text;
        const char *in_it; /* NULL: there is none */
    } cases[] = {
        {3, "proving.proto", "SubmitProofRequest"},
        {3, "health.proto", "HealthCheckRequest"},
        {3, "proving", NULL},
        {4, "cuzk.v1.ProvingEngine", "SubmitProofRequest"},
        {4, "cuzk.v1.ProvingEngine.Prove", "SubmitProofRequest"},
        {4, "cuzk.v1.ProofKind", "WINDOW_POST_PARTITION"},
        {4, "cuzk.v1.JobInfo", "partitions_done"},
        {4, "grpc.reflection.v1.ServerReflection", "ServerReflectionResponse"},
        {4, "cuzk.v1.Prov", NULL},
        {4, "cuzk.v1", NULL},
        {4, "cuzk.v1.", NULL},
        {4, "ProvingEngine", NULL},
        {4, "other.v1.ProvingEngine", NULL},
        {6, "cuzk.v1.JobInfo", NULL},
    };
    struct answers a;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        reflect(&a, cases[i].tag, cases[i].text, REFLECT("v1"));
        if (cases[i].in_it ? !holds(&a, cases[i].in_it) : !holds(&a, "there "))
            fail_msg("%s", cases[i].text);
    }
}

static void test_reflection_of_garbage_is_an_answer(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, test_seed());
    for (int i = 0; i < 200; i++) {
        struct answers a = {0};
        uint8_t bytes[64];
        size_t n = rng_below(&rng, sizeof bytes);

        rng_bytes(&rng, bytes, n);
        assert_int_equal(ask(REFLECT("v1"), bytes, n, &a), GRPC_OK);
        assert_int_equal(a.n, 1);
    }
}

#define SERVICE_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVICE_TEST(test_health_is_told_for_the_server_and_its_services),
        SERVICE_TEST(test_watchers_hear_of_changes),
        SERVICE_TEST(test_services_are_listed),
        SERVICE_TEST(test_files_are_found_by_name_and_by_symbol),
        SERVICE_TEST(test_reflection_of_garbage_is_an_answer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
