#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static double seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double clock_seconds(void)
{
    return seconds(CLOCK_MONOTONIC);
}

double clock_unix_seconds(void)
{
    return seconds(CLOCK_REALTIME);
}

double clock_cpu_seconds(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

double clock_thread_seconds(void)
{
    return seconds(CLOCK_THREAD_CPUTIME_ID);
}

static size_t status_kib(const char *key)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[256];
    size_t kib = 0;

    if (!f)
        return 0;
    while (fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), ": %zu", &kib) == 1)
            break;
    fclose(f);
    return kib;
}

size_t memory_anonymous(void)
{
    return (status_kib("RssAnon") + status_kib("RssShmem")) << 10;
}

size_t memory_peak(void)
{
    return status_kib("VmHWM") << 10;
}
