/* How much memory there is for us, and how much we take.
 *
 *     limit     the least of MemTotal and, of our control group and all those above it,
 *               memory.max and memory.high (v2) or memory.limit_in_bytes (v1)
 *     metered   anonymous and shared memory of processes: RssAnon + RssShmem */
#ifndef DAEMON_MEMORY_LIMIT_H
#define DAEMON_MEMORY_LIMIT_H

#include <stdint.h>

/* root: "" for this machine, or a folder that has proc/ and sys/fs/cgroup/ below it (tests). 0 when
 * nothing could be read. *ret_from (may be NULL) names the file that decided, at most 255
 * characters. */
uint64_t memory_limit(const char *root, char ret_from[256]);

/* 0 for a process that is gone. */
uint64_t memory_metered(int pid);

#endif
