#include "base/cpu.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct cpu_features features;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#if defined(__x86_64__)
#include <cpuid.h>

static void ask(void)
{
    unsigned a, b, c, d;
    bool avx512_state;

    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return;
    __builtin_cpu_init();
    avx512_state = __builtin_cpu_supports("avx512f"); /* asks the operating system too */
    features.mulx_adx = (b >> 8 & 1) && (b >> 19 & 1);
    features.avx512_ifma =
        avx512_state && (b >> 17 & 1) && (b >> 21 & 1) && (b >> 30 & 1) && (b >> 31 & 1);
    features.sha_ni = b >> 29 & 1;
}
#else
static void ask(void)
{
}
#endif

static void ask_once(void)
{
    const char *choice = getenv("CUZK_CPU");

    if (!choice || strcmp(choice, "portable") != 0)
        ask();
}

const struct cpu_features *cpu_features(void)
{
    pthread_once(&once, ask_once);
    return &features;
}

bool cpu_mulx_adx;

__attribute__((constructor)) static void set_cpu_mulx_adx(void)
{
    cpu_mulx_adx = cpu_features()->mulx_adx;
}
