/* System calls that fail when a test wants it. A program that uses this has the calls of its own
 * code and of its libraries (SQLite) go through here first: those on regular files, and spawning.
 *
 *     reading    read, pread                            EIO
 *     writing    write, pwrite, fsync, fdatasync,       ENOSPC, EIO for a sync
 *                ftruncate, linkat, and opening a file
 *                that is made by it
 *     spawning   posix_spawn                            EAGAIN
 *
 * Maps are not calls: what is read through them does not come here. */
#ifndef SUPPORT_DAEMON_FAULTY_CALLS_H
#define SUPPORT_DAEMON_FAULTY_CALLS_H

#include <stddef.h>

enum faulty_call { FAULTY_READ, FAULTY_WRITE, FAULTY_SPAWN, FAULTY_N_CALLS };

/* The n-th call of this kind from now (1: the next), by any thread, fails once; 0 switches it off.
 * Returns how many were counted since the last call of this function. */
size_t call_fail_at(enum faulty_call kind, size_t n);

#endif
