/* Whole numbers of 4 and 6 words in registers, with the carry in the processor's flag from the
 * first word to the last. Compilers lose it between the words (gcc 12: half the speed of a sum
 * modulo p).
 *
 *   words_add_n(t, x)       t += x; the carry out is dropped
 *   words_sub_n(t, x)       t -= x; returns all ones if that was negative, else 0
 *   words_reduce_n(t, p)    t -= p unless that is negative
 *
 * t is an array of the caller that the compiler keeps in registers; x and p may be memory. */
#ifndef FIELD_WORDS_X86_64_H
#define FIELD_WORDS_X86_64_H

#include <stdint.h>

/* Without optimisation compilers keep t in memory and run out of registers. */
#if !defined(__x86_64__) || !defined(__OPTIMIZE__)
#define WORDS_IN_REGISTERS 0
#else
#define WORDS_IN_REGISTERS 1

static inline void words_add_4(uint64_t *t, const uint64_t *x)
{
    __asm__ inline("addq %4, %0\n\t"
                   "adcq %5, %1\n\t"
                   "adcq %6, %2\n\t"
                   "adcq %7, %3"
                   : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+r"(t[3])
                   : "rm"(x[0]), "rm"(x[1]), "rm"(x[2]), "rm"(x[3])
                   : "cc");
}

static inline uint64_t words_sub_4(uint64_t *t, const uint64_t *x)
{
    uint64_t mask;

    __asm__ inline("subq %5, %0\n\t"
                   "sbbq %6, %1\n\t"
                   "sbbq %7, %2\n\t"
                   "sbbq %8, %3\n\t"
                   "sbbq %4, %4"
                   : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "=r"(mask)
                   : "rm"(x[0]), "rm"(x[1]), "rm"(x[2]), "rm"(x[3])
                   : "cc");
    return mask;
}

static inline void words_reduce_4(uint64_t *t, const uint64_t *p)
{
    uint64_t less[4] = {t[0], t[1], t[2], t[3]};

    __asm__ inline("subq %8, %0\n\t"
                   "sbbq %9, %1\n\t"
                   "sbbq %10, %2\n\t"
                   "sbbq %11, %3\n\t"
                   "cmovncq %0, %4\n\t"
                   "cmovncq %1, %5\n\t"
                   "cmovncq %2, %6\n\t"
                   "cmovncq %3, %7"
                   : "+&r"(less[0]), "+&r"(less[1]), "+&r"(less[2]), "+&r"(less[3]), "+&r"(t[0]),
                     "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3])
                   : "m"(p[0]), "m"(p[1]), "m"(p[2]), "m"(p[3])
                   : "cc");
}

static inline void words_add_6(uint64_t *t, const uint64_t *x)
{
    __asm__ inline("addq %6, %0\n\t"
                   "adcq %7, %1\n\t"
                   "adcq %8, %2\n\t"
                   "adcq %9, %3\n\t"
                   "adcq %10, %4\n\t"
                   "adcq %11, %5"
                   : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "+&r"(t[4]), "+r"(t[5])
                   : "rm"(x[0]), "rm"(x[1]), "rm"(x[2]), "rm"(x[3]), "rm"(x[4]), "rm"(x[5])
                   : "cc");
}

static inline uint64_t words_sub_6(uint64_t *t, const uint64_t *x)
{
    uint64_t mask;

    __asm__ inline("subq %7, %0\n\t"
                   "sbbq %8, %1\n\t"
                   "sbbq %9, %2\n\t"
                   "sbbq %10, %3\n\t"
                   "sbbq %11, %4\n\t"
                   "sbbq %12, %5\n\t"
                   "sbbq %6, %6"
                   : "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]), "+&r"(t[4]), "+&r"(t[5]),
                     "=r"(mask)
                   : "rm"(x[0]), "rm"(x[1]), "rm"(x[2]), "rm"(x[3]), "rm"(x[4]), "rm"(x[5])
                   : "cc");
    return mask;
}

static inline void words_reduce_6(uint64_t *t, const uint64_t *p)
{
    uint64_t less[6] = {t[0], t[1], t[2], t[3], t[4], t[5]};

    __asm__ inline("subq %12, %0\n\t"
                   "sbbq %13, %1\n\t"
                   "sbbq %14, %2\n\t"
                   "sbbq %15, %3\n\t"
                   "sbbq %16, %4\n\t"
                   "sbbq %17, %5\n\t"
                   "cmovncq %0, %6\n\t"
                   "cmovncq %1, %7\n\t"
                   "cmovncq %2, %8\n\t"
                   "cmovncq %3, %9\n\t"
                   "cmovncq %4, %10\n\t"
                   "cmovncq %5, %11"
                   : "+&r"(less[0]), "+&r"(less[1]), "+&r"(less[2]), "+&r"(less[3]), "+&r"(less[4]),
                     "+&r"(less[5]), "+&r"(t[0]), "+&r"(t[1]), "+&r"(t[2]), "+&r"(t[3]),
                     "+&r"(t[4]), "+&r"(t[5])
                   : "m"(p[0]), "m"(p[1]), "m"(p[2]), "m"(p[3]), "m"(p[4]), "m"(p[5])
                   : "cc");
}

#endif
#endif
