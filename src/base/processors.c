#include "base/processors.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cgroup.h"

static unsigned count_mask(void)
{
    cpu_set_t
        set[8]; /* Linux has 8192 processors at most, and refuses a set of fewer than it has */

    if (sched_getaffinity(0, sizeof set, set) != 0)
        return 1;
    return (unsigned)CPU_COUNT_S(sizeof set, set);
}

/* v2: "QUOTA PERIOD" in one file, v1: in two; microseconds. "max" and -1 set no limit. */
static void consider_quota(void *ctx, enum cgroup_version version, const char *folder)
{
    struct processors *p = ctx;
    char quota[CGROUP_LINE], period[CGROUP_LINE], path[256], *rest = period;
    double share;

    if (version == CGROUP_V2) {
        if (!cgroup_line(folder, "cpu.max", quota, path))
            return;
        rest = quota + strcspn(quota, " ");
    } else if (!cgroup_line(folder, "cpu.cfs_quota_us", quota, path) ||
               !cgroup_line(folder, "cpu.cfs_period_us", period, NULL)) {
        return;
    }
    share = (double)strtoll(quota, NULL, 10) / (double)strtoll(rest, NULL, 10);
    if (!(share > 0 && share < 1e6) || (p->quota > 0 && share >= p->quota))
        return;
    p->quota = share;
    memcpy(p->quota_from, path, sizeof path);
}

void processors_count(struct processors *ret, const char *root)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned whole;

    memset(ret, 0, sizeof *ret);
    ret->mask = count_mask();
    ret->online = online > 0 ? (unsigned)online : ret->mask;
    ret->threads = ret->mask;
    cgroup_each(root, "cpu", consider_quota, ret);
    whole = (unsigned)ret->quota;
    if (ret->quota > 0 && ret->quota < ret->mask)
        ret->threads = whole + (ret->quota > whole);
}
