#include "support/daemon/faulty_calls.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic size_t counted[FAULTY_N_CALLS], fails_at[FAULTY_N_CALLS];

size_t call_fail_at(enum faulty_call kind, size_t n)
{
    atomic_store(&fails_at[kind], 0);
    size_t before = atomic_exchange(&counted[kind], 0);

    atomic_store(&fails_at[kind], n);
    return before;
}

static bool fails(enum faulty_call kind, int error)
{
    const size_t at = atomic_load(&fails_at[kind]);

    if (at == 0 || atomic_fetch_add(&counted[kind], 1) + 1 != at)
        return false;
    errno = error;
    return true;
}

static bool is_file(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

static bool file_fails(int fd, enum faulty_call kind, int error)
{
    return atomic_load(&fails_at[kind]) != 0 && is_file(fd) && fails(kind, error);
}

/* ---- the calls, by their numbers
 * -----------------------------------------------------------------
 */

#pragma GCC visibility push(default) /* libraries find them too */

ssize_t read(int fd, void *bytes, size_t n)
{
    return file_fails(fd, FAULTY_READ, EIO) ? -1 : syscall(SYS_read, fd, bytes, n);
}

ssize_t pread(int fd, void *bytes, size_t n, off_t at)
{
    return file_fails(fd, FAULTY_READ, EIO) ? -1 : syscall(SYS_pread64, fd, bytes, n, at);
}

ssize_t pread64(int fd, void *bytes, size_t n, off64_t at)
{
    return pread(fd, bytes, n, at);
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    return file_fails(fd, FAULTY_WRITE, ENOSPC) ? -1 : syscall(SYS_write, fd, bytes, n);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    return file_fails(fd, FAULTY_WRITE, ENOSPC) ? -1 : syscall(SYS_pwrite64, fd, bytes, n, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t at)
{
    return pwrite(fd, bytes, n, at);
}

int fsync(int fd)
{
    return file_fails(fd, FAULTY_WRITE, EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    return file_fails(fd, FAULTY_WRITE, EIO) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int ftruncate(int fd, off_t bytes)
{
    return file_fails(fd, FAULTY_WRITE, ENOSPC) ? -1 : (int)syscall(SYS_ftruncate, fd, bytes);
}

int ftruncate64(int fd, off64_t bytes)
{
    return ftruncate(fd, bytes);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    if (fails(FAULTY_WRITE, ENOSPC))
        return -1;
    return (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

static int open_mode(const char *path, int flags, mode_t mode)
{
    const bool makes = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;

    if (makes && fails(FAULTY_WRITE, ENOSPC))
        return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list args;
    mode_t mode;

    va_start(args, flags);
    mode = va_arg(args, mode_t); /* nobody looks at it when nothing is made */
    va_end(args);
    return open_mode(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list args;
    mode_t mode;

    va_start(args, flags);
    mode = va_arg(args, mode_t);
    va_end(args);
    return open_mode(path, flags, mode);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const *arguments,
                char *const *environment)
{
    __typeof__(&posix_spawn) next;
    void *symbol;

    if (fails(FAULTY_SPAWN, 0))
        return EAGAIN;
    symbol = dlsym(RTLD_NEXT, "posix_spawn");
    memcpy(&next, &symbol, sizeof next);
    return next(pid, path, actions, attributes, arguments, environment);
}

#pragma GCC visibility pop
