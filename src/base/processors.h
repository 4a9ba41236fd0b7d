/* How many threads are right for this process.
 *
 *     online    processors of the machine
 *     mask      those of them that we may run on: taskset, cpusets
 *     quota     processors' worth of time a second: the least of our control group and all those
 *               above it, cpu.max (v2) or cpu.cfs_quota_us / cpu.cfs_period_us (v1)
 *     threads   the lesser of mask and quota, the latter rounded up; at least 1
 */
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

struct processors {
    unsigned online, mask, threads;
    double quota;         /* 0: none */
    char quota_from[256]; /* the file that decided */
};

/* root: of the control groups, as for cgroup_each. */
void processors_count(struct processors *ret, const char *root);

#endif
