#include "support/testing.h"

#include <time.h>
#include <unistd.h>

uint64_t test_seed(void)
{
    static uint64_t seed;
    const char *text = getenv("CUZK_SEED");

    if (!seed) {
        seed = text ? strtoul(text, NULL, 0) : (uint64_t)time(NULL) << 20 ^ (uint64_t)getpid();
        printf("CUZK_SEED=%llu\n", (unsigned long long)seed);
    }
    return seed;
}

const char *test_data_path(const char *relative)
{
    static char path[4096];
    const char *root = getenv("CUZK_TEST_DATA");

    if (root) {
        snprintf(path, sizeof path, "%s/%s", root, relative);
        if (access(path, R_OK) == 0)
            return path;
    }
    printf("no %s below CUZK_TEST_DATA (%s)\n", relative, root ? root : "unset");
    if (getenv("CUZK_REQUIRE_DATA") && strcmp(getenv("CUZK_REQUIRE_DATA"), "1") == 0)
        fail_msg("CUZK_REQUIRE_DATA is set and %s is missing", relative);
    return NULL;
}

const char *test_vector_path(const char *relative)
{
    static char path[4096];

    snprintf(path, sizeof path, "%s/tests/%s", CUZK_SOURCE_DIR, relative);
    return path;
}

const char *test_scratch_path(const char *name)
{
    static char path[4096];

    snprintf(path, sizeof path, "%s/scratch-%d-%s", CUZK_BINARY_DIR, (int)getpid(), name);
    return path;
}

bool test_long(void)
{
    const char *text = getenv("CUZK_LONG");

    return text && strcmp(text, "1") == 0;
}

void assert_ok_(enum cuzk_status st, const struct cuzk_error *err, const char *file, int line)
{
    if (st != CUZK_OK) {
        print_error("%s:%d: %s: %s\n", file, line, cuzk_status_name(st), err->message);
        fail();
    }
}
