/* daemon/config: precedence, refusals with their places, and that the example is the defaults. */
#include "support/testing.h"

#include "daemon/config.h"

static struct config config, other; /* large */

static enum cuzk_status read(const char *text, struct cuzk_error *err)
{
    config_defaults(&config);
    return config_read_text(&config, text, strlen(text), "cuzk.toml", err);
}

static void assert_refused(const char *text, const char *sentence)
{
    struct cuzk_error err = {0};

    assert_int_equal(read(text, &err), CUZK_BAD_INPUT);
    assert_string_equal(err.message, sentence);
}

static void test_the_example_is_the_defaults(void **state)
{
    struct cuzk_error err;

    (void)state;
    config_defaults(&config);
    if (config_read_file(&config, CUZK_SOURCE_DIR "/packaging/cuzk.toml", &err))
        fail_msg("%s", err.message);
    config_defaults(&other);
    assert_memory_equal(&config, &other, offsetof(struct config, origin));
    assert_int_equal(config.n_warnings, 0);
    assert_int_equal(config_check(&config, &err), CUZK_OK);
}

/* Each key that --print-config shows stands in the example, once. */
static void test_the_example_has_every_key(void **state)
{
    char printed[1 << 14];
    FILE *out = fmemopen(printed, sizeof printed, "w");

    (void)state;
    config_defaults(&config);
    assert_int_equal(config_read_file(&config, CUZK_SOURCE_DIR "/packaging/cuzk.toml", NULL),
                     CUZK_OK);
    config_print(&config, out, "cuzk.toml");
    fclose(out);
    assert_null(strstr(printed, "# default"));
    assert_non_null(strstr(printed, "listen = [\"unix:///run/curio/cuzk.sock\"]  # cuzk.toml:"));
}

static void test_values_of_a_file(void **state)
{
    struct cuzk_error err = {0};

    (void)state;
    assert_int_equal(read("[daemon]\nlisten = ['unix:///a', '127.0.0.1:1']\nsocket_mode = '600'\n"
                          "[memory]\ntotal_budget = '1TiB'\nsafety_margin = 17\n"
                          "eviction_min_idle = '90s'\n[gpus]\ndevices = [1, 'GPU-5a-6b']\n"
                          "[logging]\nlevel = 'debug'\nformat = 'json'\n",
                          &err),
                     CUZK_OK);
    assert_int_equal(config.daemon.listen.n, 2);
    assert_string_equal(config.daemon.listen.item[1], "127.0.0.1:1");
    assert_int_equal(config.daemon.socket_mode, 0600);
    assert_int_equal(config.memory.total_budget, 1ul << 40);
    assert_int_equal(config.memory.safety_margin, 17);
    assert_int_equal(config.memory.eviction_min_idle_ms, 90000);
    assert_string_equal(config.gpus.devices.item[0], "1");
    assert_string_equal(config.gpus.devices.item[1], "GPU-5a-6b");
    assert_int_equal(config.logging.level, LOG_LEVEL_DEBUG);
    assert_int_equal(config.logging.format, LOG_FORMAT_JSON);
    assert_int_equal(config.memory.device_budget, CONFIG_AUTO);
}

static void test_an_unknown_key_is_an_error_with_the_nearest(void **state)
{
    (void)state;
    assert_refused("[memory]\n\ntotl_budget = '1GiB'\n",
                   "cuzk.toml:3: unknown key 'memory.totl_budget'; the nearest known one is "
                   "'memory.total_budget'");
    assert_refused(
        "[gpu]\ndevices = []\n",
        "cuzk.toml:2: unknown key 'gpu.devices'; the nearest known one is 'gpus.devices'");
    assert_refused("[gpus.affinity]\na = 1\n",
                   "cuzk.toml:2: unknown key 'gpus.affinity.a'; the nearest "
                   "known one is 'gpus.devices'");
    assert_refused("listen = 'unix:///x'\n",
                   "cuzk.toml:1: unknown key 'listen'; the nearest known one is 'daemon.listen'");
}

static void test_a_bad_value_is_an_error_with_its_line(void **state)
{
    (void)state;
    assert_refused(
        "[memory]\ntotal_budget = '1 Gig'\n",
        "cuzk.toml:2: memory.total_budget: '1 Gig' is not a size from 1MiB up (bytes, or with "
        "KiB MiB GiB TiB KB MB GB TB, or auto)");
    assert_refused(
        "[memory]\nsafety_margin = -1\n",
        "cuzk.toml:2: memory.safety_margin: '-1' is not a size (bytes, or with KiB MiB GiB TiB "
        "KB MB GB TB)");
    assert_refused("[journal]\nretain = '300'\n",
                   "cuzk.toml:2: journal.retain: '300' is not a duration (a "
                   "number with ms s m h or d)");
    assert_refused("[journal]\nmax_attempts = 0\n",
                   "cuzk.toml:2: journal.max_attempts: '0' is not a number from 1 to 100");
    assert_refused("[journal]\nmax_attempts = '3'\n",
                   "cuzk.toml:2: journal.max_attempts: expected a whole number, without quotes");
    assert_refused("[srs]\nallow_dev_keys = 'true'\n",
                   "cuzk.toml:2: srs.allow_dev_keys: expected true or false, without quotes");
    assert_refused("[daemon]\nlisten = [['a']]\n",
                   "cuzk.toml:2: daemon.listen: expected a text or a list of "
                   "texts");
    assert_refused("[daemon]\nsocket_mode = '0999'\n",
                   "cuzk.toml:2: daemon.socket_mode: '0999' is not a file "
                   "mode in octal digits, such as 0660");
    assert_refused("[gpus]\ndevices = ['card']\n",
                   "cuzk.toml:2: gpus.devices: 'card' is not a device's ordinal or UUID");
    assert_refused("[gpus]\ndevices = 1\n",
                   "cuzk.toml:2: gpus.devices: expected a list of ordinals or UUIDs, \"auto\" or "
                   "\"none\"");
    assert_refused("[logging]\nlevel = 'trace'\n",
                   "cuzk.toml:2: logging.level: 'trace' is not error, warn, info or debug");
    assert_refused("[journal]\npath = 'here'\n",
                   "cuzk.toml:2: journal.path: 'here' is not an absolute path");
}

static void test_broken_toml_is_an_error_with_its_line(void **state)
{
    struct cuzk_error err = {0};

    (void)state;
    assert_int_equal(read("[memory]\ntotal_budget = \n", &err), CUZK_BAD_INPUT);
    assert_memory_equal(err.message, "cuzk.toml:2: ", 13);
    assert_int_equal(read("[journal]\npath = \"/a\\u0000b\"\n", &err), CUZK_BAD_INPUT);
    assert_string_equal(err.message, "cuzk.toml:2: 'journal.path' holds a zero byte");
}

static void test_keys_without_effect_warn_once_each(void **state)
{
    struct cuzk_error err = {0};

    (void)state;
    assert_int_equal(read("[srs]\npreload = ['a', 'b']\n[pipeline]\nenabled = true\nslot_size = 0\n"
                          "[scheduler]\nsort_by_type = true\n",
                          &err),
                     CUZK_OK);
    assert_int_equal(config.n_warnings, 4);
    assert_string_equal(config.warning[0],
                        "cuzk.toml:4: pipeline.enabled: accepted, without effect");
    assert_string_equal(config.warning[3],
                        "cuzk.toml:2: srs.preload: deprecated in the original, and "
                        "without effect");
}

static void test_environment_beats_file_and_flags_beat_both(void **state)
{
    char *environment[] = {(char *)"PATH=/bin",
                           (char *)"CUZK_BACKEND=cpu",
                           (char *)"CUZK_TEST_DATA=/x",
                           (char *)"CUZK_MEMORY_TOTAL_BUDGET=2GiB",
                           (char *)"CUZK_LOGGING_LEVEL=warn",
                           (char *)"CUZK_DAEMON_LISTEN=unix:///a,127.0.0.1:7",
                           NULL};
    char *typo[] = {(char *)"CUZK_MEMORY_BUDGET=2GiB", NULL};
    char *bad[] = {(char *)"CUZK_MEMORY_TOTAL_BUDGET=lots", NULL};
    char printed[1 << 14];
    struct cuzk_error err = {0};
    FILE *out;

    (void)state;
    assert_int_equal(read("[memory]\ntotal_budget = '1GiB'\nsafety_margin = '1GiB'\n", &err),
                     CUZK_OK);
    assert_int_equal(config_read_environment(&config, environment, &err), CUZK_OK);
    assert_int_equal(config_set(&config, "logging.level", "error", "--log-level", &err), CUZK_OK);
    assert_int_equal(config.memory.total_budget, 2ul << 30);
    assert_int_equal(config.logging.level, LOG_LEVEL_ERROR);
    assert_int_equal(config.daemon.listen.n, 2);
    out = fmemopen(printed, sizeof printed, "w");
    config_print(&config, out, "cuzk.toml");
    fclose(out);
    assert_non_null(strstr(printed, "total_budget = \"2GiB\"  # CUZK_MEMORY_TOTAL_BUDGET\n"));
    assert_non_null(strstr(printed, "safety_margin = \"1GiB\"  # cuzk.toml:3\n"));
    assert_non_null(strstr(printed, "level = \"error\"  # flag\n"));

    assert_int_equal(config_read_environment(&config, typo, &err), CUZK_BAD_INPUT);
    assert_string_equal(err.message,
                        "CUZK_MEMORY_BUDGET: unknown key 'memory.budget'; the nearest known "
                        "one is 'memory.total_budget'");
    assert_int_equal(config_read_environment(&config, bad, &err), CUZK_BAD_INPUT);
    assert_memory_equal(err.message, "CUZK_MEMORY_TOTAL_BUDGET: memory.total_budget: 'lots' is not",
                        60);
    assert_int_equal(config_set(&config, "logging.level", "loud", "--log-level", &err),
                     CUZK_BAD_INPUT);
    assert_memory_equal(err.message, "--log-level: logging.level: 'loud'", 34);
}

static void check_refuses(const char *text, const char *word)
{
    struct cuzk_error err = {0};

    assert_int_equal(read(text, &err), CUZK_OK);
    assert_int_equal(config_check(&config, &err), CUZK_BAD_INPUT);
    assert_non_null(strstr(err.message, word));
}

static void test_listening_to_the_world_needs_tls_or_a_word(void **state)
{
    struct cuzk_error err = {0};

    (void)state;
    check_refuses("[daemon]\nlisten = '0.0.0.0:9820'\n", "daemon.allow_insecure");
    check_refuses("[daemon]\nstatus_listen = '[::]:9821'\n", "daemon.allow_insecure");
    check_refuses("[gpus]\ndevices = [0, 'auto']\n", "gpus.devices: 'auto' stands alone");
    check_refuses("[gpus]\ndevices = ['none', 1]\n", "gpus.devices: 'none' stands alone");
    check_refuses("[gpus]\ndevices = [1, 0, 1]\n", "gpus.devices: '1' is there twice");
    check_refuses("[scheduler]\nmax_batch_size = 2\n",
                  "scheduler.max_batch_size: expected 1, found 2: jobs are proven one by one");
    check_refuses("[daemon]\nlisten = []\n", "at least one");
    check_refuses("[daemon]\nlisten = 'nowhere'\n", "HOST:PORT");
    check_refuses("[daemon]\ntls_cert = '/a'\n", "tls_key");
    check_refuses("[daemon]\ntls_client_ca = '/a'\n", "needs daemon.tls_cert");
    check_refuses("[journal]\npath = ''\n", "journal.path");
    assert_int_equal(read("[daemon]\nlisten = '0.0.0.0:9820'\nallow_insecure = true\n", &err),
                     CUZK_OK);
    assert_int_equal(config_check(&config, &err), CUZK_OK);
    assert_int_equal(read("[daemon]\nlisten = ':9820'\ntls_cert = '/a'\ntls_key = '/b'\n", &err),
                     CUZK_OK);
    assert_int_equal(config_check(&config, &err), CUZK_OK);
}

static void count_kept(void *ctx, const char *key)
{
    assert_string_equal(key, "memory.total_budget");
    ++*(int *)ctx;
}

static void test_a_reload_takes_what_may_change(void **state)
{
    int kept = 0;

    (void)state;
    assert_int_equal(read("[memory]\ntotal_budget = '1GiB'\n[journal]\nretain = '1h'\n", NULL),
                     CUZK_OK);
    other = config;
    config_defaults(&config);
    config_reload(&config, &other, count_kept, &kept);
    assert_int_equal(kept, 1);
    assert_int_equal(config.journal.retain_ms, 3600000);
    assert_int_equal(config.memory.total_budget, CONFIG_AUTO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_example_is_the_defaults),
        cmocka_unit_test(test_the_example_has_every_key),
        cmocka_unit_test(test_values_of_a_file),
        cmocka_unit_test(test_an_unknown_key_is_an_error_with_the_nearest),
        cmocka_unit_test(test_a_bad_value_is_an_error_with_its_line),
        cmocka_unit_test(test_broken_toml_is_an_error_with_its_line),
        cmocka_unit_test(test_keys_without_effect_warn_once_each),
        cmocka_unit_test(test_environment_beats_file_and_flags_beat_both),
        cmocka_unit_test(test_listening_to_the_world_needs_tls_or_a_word),
        cmocka_unit_test(test_a_reload_takes_what_may_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
