#include "base/file_fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/mem.h"

struct file_fetch {
    int file, direct; /* the same file with O_DIRECT; -1: its file system has no such thing */
    uintptr_t base;
    char *name;
};

/* A second descriptor of what fd is, whatever its name names by now. */
static int open_direct(int fd)
{
    char path[32];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
}

enum cuzk_status file_fetch_new(struct file_fetch **ret, int fd, const void *base, const char *name,
                                struct cuzk_error *err)
{
    struct file_fetch *f = mem_new(sizeof *f);
    char *copy = mem_copy_string(name);

    if (!f || !copy) {
        mem_free(f);
        mem_free(copy);
        return error_set(err, CUZK_NO_MEMORY, "%s: no memory to keep it open", name);
    }
    *f = (struct file_fetch){
        .file = fcntl(fd, F_DUPFD_CLOEXEC, 0), .direct = -1, .base = (uintptr_t)base, .name = copy};
    if (f->file < 0) {
        file_fetch_free(f);
        return error_set(err, CUZK_IO, "%s: cannot be kept open: %s", name, strerror(errno));
    }
    f->direct = open_direct(fd);
    *ret = f;
    return CUZK_OK;
}

void file_fetch_free(struct file_fetch *f)
{
    if (!f)
        return;
    if (f->direct >= 0)
        close(f->direct);
    if (f->file >= 0)
        close(f->file);
    mem_free(f->name);
    mem_free(f);
}

size_t file_fetch_lead(const struct file_fetch *f, const void *from)
{
    return ((uintptr_t)from - f->base) % FETCH_PAGE;
}

/* Some bytes, as pread. Those from the page cache first, where the kernel can tell them from others;
 * a disk that wants more than pages to be aligned is read through the cache. */
static ssize_t read_some(const struct file_fetch *f, void *to, size_t bytes, off_t at)
{
    const struct iovec room = {to, bytes};
    ssize_t got = preadv2(f->file, &room, 1, at, RWF_NOWAIT);

    if (got < 0 && errno == EAGAIN && f->direct >= 0) {
        got = pread(f->direct, to, bytes, at);
        if (got >= 0 || errno != EINVAL)
            return got;
    }
    return got < 0 && errno != EINTR ? pread(f->file, to, bytes, at) : got;
}

static enum cuzk_status ends_before(const struct file_fetch *f, size_t at, size_t expected,
                                    size_t found, struct cuzk_error *err)
{
    return error_set(err, CUZK_BAD_INPUT,
                     "%s: expected %zu bytes at offset %zu, the file ends after %zu", f->name,
                     expected, at, found);
}

enum cuzk_status file_fetch_read(const struct file_fetch *f, void *to, const void *from,
                                 size_t bytes, struct cuzk_error *err)
{
    const size_t at = (uintptr_t)from - f->base;
    const size_t room = (bytes + FETCH_PAGE - 1) / FETCH_PAGE * FETCH_PAGE;
    uint8_t *out = to;
    size_t done = 0;

    while (done < bytes) {
        const ssize_t got = read_some(f, out + done, room - done, (off_t)(at + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(err, CUZK_IO, "%s: %s", f->name, strerror(errno));
        /* only the end of the file is within a page */
        if ((size_t)got % FETCH_PAGE != 0 && done + (size_t)got < bytes)
            return ends_before(f, at, bytes, done + (size_t)got, err);
        if (got == 0)
            return ends_before(f, at, bytes, done, err);
        done += (size_t)got;
    }
    return CUZK_OK;
}
