/* Cards that are not there: the workers of tests/daemon/fast_cuzk.c say that they have some, and
 * prove on the processor. What is tried is the daemon's side: which cards there are, whose their
 * memory is, and where a job goes. */
#include "jobs_daemon.inc.h"

#include "support/made_up_card.h"

/* ---- a machine with cards -------------------------------------------------------------------- */

/* What winning-2KiB takes of a made-up card in each form, the least first. */
static size_t arena[CARD_FORMS];
enum { FASTEST = CARD_FORMS - 1 };

static void plan_arenas(void)
{
    struct engine *engine = mem_new(sizeof *engine);
    const struct backend card = made_up_card();
    struct circuit_name name;
    struct job_plan plan;
    struct cuzk_error err;

    must(circuit_name_parse(&name, "winning-2KiB", &err), &err);
    must(engine_open(engine, &(struct engine_options){.backend = "cpu", .threads = 1}, &err), &err);
    must(circuit_job_plan(engine, name, &card, &plan, &err), &err);
    memcpy(arena, plan.card.arena, sizeof arena);
    engine_close(engine);
    mem_free(engine);
    assert_true(arena[0] > 0);
    for (int form = 1; form < CARD_FORMS; form++)
        assert_true(arena[form - 1] < arena[form]);
}

static void put_cards(const char *cards, const char *memory)
{
    setenv("FAST_WORKER_CARDS", cards, 1);
    setenv("FAST_WORKER_CARD_MEMORY", memory, 1);
}

static int begin_with_cards(void **state)
{
    begin_case(state);
    stop();
    config.memory.urgent_reserve = 0;
    config.memory.total_budget = (uint64_t)4 << 30;
    return 0;
}

static int end_with_cards(void **state)
{
    unsetenv("FAST_WORKER_CARDS");
    unsetenv("FAST_WORKER_CARD_MEMORY");
    unsetenv("FAST_WORKER_CARD_DEAD");
    return end_case(state);
}

static void name_devices(size_t n, const char *first, const char *second)
{
    config.gpus.devices.n = n;
    snprintf(config.gpus.devices.item[0], CONFIG_TEXT_MAX, "%s", first);
    snprintf(config.gpus.devices.item[1], CONFIG_TEXT_MAX, "%s", second);
}

static void start_and_wait_for_cards(unsigned n)
{
    unsigned up = 0;

    start();
    for (unsigned i = 0; i < 3000 && up < n; i++) {
        const struct jobs_status s = status_now();

        up = 0;
        for (size_t w = 0; w < s.n_workers; w++)
            up += s.workers[w].device_budget > 0;
        usleep(10000);
    }
    assert_int_equal(up, n);
}

static void must_have_workers(const char *names)
{
    const struct jobs_status s = status_now();
    char text[256] = "";

    for (size_t i = 0; i < s.n_workers; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s:%d ", s.workers[i].name,
                 s.workers[i].ordinal);
    assert_string_equal(text, names);
}

static void must_not_open(const char *sentence)
{
    struct cuzk_error err;

    must(loop_new(&loop, &err), &err);
    assert_int_not_equal(jobs_open(&jobs, loop, &config, program, &err), CUZK_OK);
    assert_string_equal(err.message, sentence);
    loop_free(loop);
    jobs = NULL;
}

static void must_be_proven_on(const char *worker, const char *id, enum job_priority priority)
{
    struct asked a = submit(id, priority);
    struct jobs_status s;
    bool found = false;

    if (a.refusal != REFUSED_NOT)
        fail_msg("%s", a.sentence);
    a = await_end_of(a.id);
    must_verify(&a);
    s = status_now();
    for (size_t i = 0; i < s.n_keys; i++)
        found |= strcmp(s.keys[i].worker, worker) == 0;
    if (!found)
        fail_msg("its key is on %s, not on %s", s.n_keys ? s.keys[0].worker : "none", worker);
}

/* ---- which there are ------------------------------------------------------------------------- */

static void test_cards_are_those_that_are_named_or_all(void **state)
{
    (void)state;
    put_cards("2", "4000000000,4000000000");
    name_devices(0, "", "");
    start();
    must_have_workers("cuda 0:0 cuda 1:1 cpu:-1 urgent:-1 ");
    stop();
    name_devices(1, "auto", "");
    start();
    must_have_workers("cuda 0:0 cuda 1:1 cpu:-1 urgent:-1 ");
    stop();
    name_devices(2, "1", "GPU-5a-6b");
    start();
    must_have_workers("cuda 1:1 cuda GPU-5a-6b:1 cpu:-1 urgent:-1 ");
    stop();
    name_devices(1, "none", "");
    start();
    must_have_workers("cpu:-1 urgent:-1 ");
    stop();
    put_cards("many", ""); /* no number: it is told, and none is used */
    name_devices(1, "auto", "");
    start();
    must_have_workers("cpu:-1 urgent:-1 ");
}

static void test_a_named_card_that_is_not_there_is_refused(void **state)
{
    (void)state;
    put_cards("2", "4000000000,4000000000");
    name_devices(2, "0", "7");
    must_not_open("gpus.devices: there is no card 7: expected 0 to 1, or a UUID");
    put_cards("0 the driver is too old", "");
    name_devices(1, "GPU-5a-6b", "");
    must_not_open("gpus.devices: there is no card 'GPU-5a-6b': the driver is too old");
    put_cards("many", "");
    must_not_open("gpus.devices: the process that counts the cards gave no answer");
}

/* ---- their memory ---------------------------------------------------------------------------- */

static void test_a_job_holds_memory_of_its_card_until_its_key_is_evicted(void **state)
{
    struct asked a = {.id = "winning-2KiB"};
    struct jobs_status s;

    (void)state;
    put_cards("1", "4000000000");
    start_and_wait_for_cards(1);
    must_be_proven_on("cuda 0", "a", PRIORITY_LOW);
    s = status_now();
    assert_string_equal(s.workers[0].device, "made-up card");
    assert_int_equal(s.workers[0].device_total, 4000000000);
    assert_int_equal(s.workers[0].device_budget, 4000000000);
    assert_int_equal(s.workers[0].device_reserved, arena[FASTEST]); /* the fastest form */
    assert_int_equal(s.workers[0].device_free, 4000000000 - arena[FASTEST]);
    assert_int_equal(s.keys[0].device_bytes, arena[FASTEST]);
    must_be_proven_on("cuda 0", "b", PRIORITY_LOW); /* with what is there */
    assert_int_equal(status_now().workers[0].device_reserved, arena[FASTEST]);
    ask(do_evict, &a);
    must_answer(&a);
    assert_int_equal(status_now().workers[0].device_reserved, 0);
    ask(do_preload, &a);
    must_answer(&a);
    if (a.status != CUZK_OK)
        fail_msg("%s", a.sentence);
    assert_int_equal(status_now().workers[0].device_reserved, arena[FASTEST]);
}

static void test_a_card_with_less_room_gets_a_slower_form(void **state)
{
    char memory[64];

    (void)state;
    for (int form = 0; form < CARD_FORMS; form++) {
        snprintf(memory, sizeof memory, "%zu", arena[form]);
        put_cards("1", memory);
        start_and_wait_for_cards(1);
        must_be_proven_on("cuda 0", (const char[2]){(char)('a' + form)}, PRIORITY_LOW);
        assert_int_equal(status_now().workers[0].device_reserved, arena[form]);
        stop();
    }
    put_cards("1", "4000000000"); /* the same by the configuration */
    config.memory.device_budget = arena[1];
    start_and_wait_for_cards(1);
    must_be_proven_on("cuda 0", "e", PRIORITY_LOW);
    assert_int_equal(status_now().workers[0].device_budget, arena[1]);
    assert_int_equal(status_now().workers[0].device_reserved, arena[1]);
}

struct seen {
    char why[256], worker[64];
};
static void see_running(void *ctx, const struct job_view *job)
{
    struct seen *seen = ctx;

    if (job->state != JOB_RUNNING)
        return;
    snprintf(seen->why, sizeof seen->why, "%s", job->why);
    snprintf(seen->worker, sizeof seen->worker, "%s", job->worker);
}
static void do_see(void *ctx)
{
    jobs_each(jobs, see_running, ctx);
}

static void test_what_no_card_has_room_for_is_proven_on_the_processor(void **state)
{
    struct seen seen = {.why = ""};
    struct asked a;
    char memory[64];

    (void)state;
    snprintf(memory, sizeof memory, "%zu,1000", arena[0] - 1);
    put_cards("2", memory);
    start_and_wait_for_cards(2);
    do_wrong("slow");
    a = submit("a", PRIORITY_LOW);
    assert_int_equal(a.refusal, REFUSED_NOT);
    for (unsigned i = 0; i < 1000 && !seen.worker[0]; i++) {
        usleep(5000);
        assert_true(loop_call(loop, do_see, &seen));
    }
    assert_string_equal(seen.worker, "cpu");
    assert_non_null(strstr(seen.why, "proven on the processor: it takes"));
    assert_non_null(strstr(seen.why, "of a card, the largest can give it"));
    a = await_end_of(a.id);
    must_verify(&a);
    assert_int_equal(status_now().workers[0].device_reserved, 0);
}

static void test_what_fits_neither_card_nor_processor_is_refused_with_all_numbers(void **state)
{
    struct asked a;

    (void)state;
    put_cards("1", "1000");
    /* 60 MiB more than the processes themselves: a plan has room in that, a job has not. */
    config.memory.total_budget = (uint64_t)780 << 20;
    config.memory.urgent_reserve = (uint64_t)40 << 20;
    start_and_wait_for_cards(1);
    a = submit("a", PRIORITY_LOW);
    assert_int_equal(a.refusal, REFUSED_TOO_LARGE);
    assert_non_null(strstr(a.sentence, "817889280"));
    assert_non_null(strstr(a.sentence, "of the card, which can give it 0"));
}

static void test_the_reserve_of_a_card_is_for_urgent_jobs(void **state)
{
    char memory[64];

    (void)state;
    snprintf(memory, sizeof memory, "%zu", arena[1]);
    put_cards("1", memory);
    config.memory.urgent_reserve = arena[1] - arena[0] + 1;
    start_and_wait_for_cards(1);
    must_be_proven_on("cpu", "ordinary", PRIORITY_LOW);
    assert_int_equal(status_now().workers[0].device_reserved, 0);
    must_be_proven_on("cuda 0", "urgent", PRIORITY_CRITICAL);
    assert_int_equal(status_now().workers[0].device_reserved, arena[1]);
}

static void make_key(const char *circuit)
{
    struct engine *engine = mem_new(sizeof *engine);
    struct circuit_name name;
    struct report report;
    struct cuzk_error err;

    must(circuit_name_parse(&name, circuit, &err), &err);
    must(engine_open(engine, &(struct engine_options){.backend = "cpu"}, &err), &err);
    report_init(&report);
    must(circuit_setup(engine, name, LABEL, keys, &report, &err), &err);
    report_done(&report);
    engine_close(engine);
    mem_free(engine);
}

static void test_an_idle_key_makes_way_on_a_card_for_another(void **state)
{
    struct asked a = {.id = "winning-4KiB"};
    struct jobs_status s;
    char memory[64];

    (void)state;
    make_key("winning-4KiB");
    snprintf(memory, sizeof memory, "%zu", arena[FASTEST] + arena[0] / 2);
    put_cards("1", memory);
    start_and_wait_for_cards(1);
    ask(do_preload, &a);
    must_answer(&a);
    if (a.status != CUZK_OK)
        fail_msg("%s", a.sentence);
    s = status_now();
    assert_true(s.n_keys == 1 && s.keys[0].device_bytes > 0);
    must_be_proven_on("cuda 0", "a", PRIORITY_LOW);
    s = status_now();
    assert_int_equal(s.n_keys, 1);
    assert_string_equal(s.keys[0].circuit, "winning-2KiB");
    assert_int_equal(s.workers[0].device_reserved, arena[FASTEST]);
}

static void test_two_cards_work_side_by_side(void **state)
{
    struct asked a, b;
    unsigned both = 0;

    (void)state;
    put_cards("2", "4000000000,4000000000");
    start_and_wait_for_cards(2);
    do_wrong("slow");
    a = submit("a", PRIORITY_LOW);
    b = submit("b", PRIORITY_LOW);
    for (unsigned i = 0; i < 1000 && !both; i++) {
        const struct jobs_status s = status_now();

        usleep(5000);
        both = s.workers[0].job_id[0] && s.workers[1].job_id[0];
    }
    assert_true(both);
    a = await_end_of(a.id);
    must_be_done(&a);
    b = await_end_of(b.id);
    must_be_done(&b);
    assert_int_equal(status_now().workers[0].device_reserved, arena[FASTEST]);
    assert_int_equal(status_now().workers[1].device_reserved, arena[FASTEST]);
}

static void test_what_a_dead_worker_had_of_its_card_is_free_again(void **state)
{
    struct asked a;

    (void)state;
    put_cards("1", "4000000000");
    start_and_wait_for_cards(1);
    do_wrong("die");
    a = submit("a", PRIORITY_LOW);
    a = await_end_of(a.id);
    must_verify(&a);
    assert_int_equal(a.attempts, 2);
    assert_int_equal(status_now().workers[0].device_reserved, arena[FASTEST]);
}

static void test_a_card_that_does_not_begin_leaves_its_jobs_to_the_processor(void **state)
{
    (void)state;
    put_cards("1", "4000000000");
    setenv("FAST_WORKER_CARD_DEAD", "1", 1);
    start();
    must_be_proven_on("cpu", "a", PRIORITY_LOW);
    assert_true(status_now().workers[0].restarts >= 3);
}

static int make_keys_and_arenas(void **state)
{
    if (make_keys(state) != 0)
        return -1;
    plan_arenas();
    return 0;
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, begin_with_cards, end_with_cards)
    const struct CMUnitTest tests[] = {
        CASE(test_cards_are_those_that_are_named_or_all),
        CASE(test_a_named_card_that_is_not_there_is_refused),
        CASE(test_a_job_holds_memory_of_its_card_until_its_key_is_evicted),
        CASE(test_a_card_with_less_room_gets_a_slower_form),
        CASE(test_what_no_card_has_room_for_is_proven_on_the_processor),
        CASE(test_what_fits_neither_card_nor_processor_is_refused_with_all_numbers),
        CASE(test_the_reserve_of_a_card_is_for_urgent_jobs),
        CASE(test_an_idle_key_makes_way_on_a_card_for_another),
        CASE(test_two_cards_work_side_by_side),
        CASE(test_what_a_dead_worker_had_of_its_card_is_free_again),
        CASE(test_a_card_that_does_not_begin_leaves_its_jobs_to_the_processor),
    };

    cmocka_set_test_filter(getenv("CUZK_TEST_FILTER"));
    return cmocka_run_group_tests(tests, make_keys_and_arenas, drop_keys);
}
