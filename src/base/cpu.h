/* What this processor can do, asked once. */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <stdbool.h>

struct cpu_features {
    bool mulx_adx;    /* BMI2 and ADX */
    bool avx512_ifma; /* AVX-512 F, VL, DQ, BW and IFMA */
    bool sha_ni;
};

/* Environment CUZK_CPU=portable answers "nothing", so that the portable bodies can be tested. */
const struct cpu_features *cpu_features(void);

/* cpu_features()->mulx_adx for inner loops: set before main begins. */
extern bool cpu_mulx_adx;

/* In a loop that waits for another thread: leaves the core's other half more room, saves power. */
static inline void cpu_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

#endif
