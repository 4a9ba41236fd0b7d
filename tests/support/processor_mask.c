#include "support/processor_mask.h"

#include "support/testing.h"

void mask_to_one(cpu_set_t *before)
{
    cpu_set_t one;
    size_t first = 0;

    assert_int_equal(sched_getaffinity(0, sizeof *before, before), 0);
    while (!CPU_ISSET(first, before))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

void mask_restore(const cpu_set_t *before)
{
    assert_int_equal(sched_setaffinity(0, sizeof *before, before), 0);
}
