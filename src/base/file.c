#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_fetch.h"

/* ---- reading --------------------------------------------------------------------------------- */

/* Opens a part, which must lie in a regular file. */
static enum cuzk_status open_part(const struct file_part *part, int *ret_fd, size_t *ret_bytes,
                                  struct cuzk_error *err)
{
    const char *name = file_part_name(part);
    const int fd = open(part->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    enum cuzk_status status = CUZK_OK;
    struct stat st;
    uint64_t size, bytes = part->bytes;

    if (fd < 0)
        return error_set(err, CUZK_IO, "%s: %s", name, strerror(errno));
    if (fstat(fd, &st) != 0)
        status = error_set(err, CUZK_IO, "%s: %s", name, strerror(errno));
    else if (!S_ISREG(st.st_mode))
        status = error_set(err, CUZK_BAD_INPUT, "%s: not a regular file", name);
    size = status == CUZK_OK ? (uint64_t)st.st_size : 0;
    if (status == CUZK_OK &&
        (part->offset > size || (bytes != FILE_TO_END && bytes > size - part->offset)))
        status =
            error_set(err, CUZK_BAD_INPUT,
                      "%s: expected %" PRIu64 " bytes at offset %" PRIu64 ", the file has %" PRIu64,
                      name, bytes, part->offset, size);
    if (status != CUZK_OK) {
        close(fd);
        return status;
    }
    *ret_fd = fd;
    *ret_bytes = (size_t)(bytes == FILE_TO_END ? size - part->offset : bytes);
    return CUZK_OK;
}

static enum cuzk_status map_descriptor(struct file_map *map, int fd, const struct file_part *part,
                                       struct cuzk_error *err)
{
    const char *name = file_part_name(part);
    uint8_t *start;

    if (!(map->path = mem_copy_string(name)))
        return error_set(err, CUZK_NO_MEMORY, "%s: no memory for its name", name);
    if (map->bytes == 0)
        return CUZK_OK;
    map->lead = (size_t)(part->offset % (uint64_t)sysconf(_SC_PAGESIZE));
    start = mmap(NULL, map->bytes + map->lead, PROT_READ, MAP_SHARED, fd,
                 (off_t)(part->offset - map->lead));
    if (start == MAP_FAILED)
        return error_set(err, CUZK_IO, "%s: cannot be mapped: %s", name, strerror(errno));
    map->data = start + map->lead;
    return CUZK_OK;
}

static enum cuzk_status map_part(struct file_map *map, const struct file_part *part, bool fetched,
                                 struct cuzk_error *err)
{
    enum cuzk_status st;
    int fd;

    *map = (struct file_map){0};
    TRY(open_part(part, &fd, &map->bytes, err));
    st = map_descriptor(map, fd, part, err);
    if (st == CUZK_OK && fetched)
        st = file_fetch_new(&map->fetch, fd, map->data, map->path, err);
    close(fd);
    if (st != CUZK_OK)
        file_unmap(map);
    return st;
}

enum cuzk_status file_map_part(struct file_map *map, const struct file_part *part,
                               struct cuzk_error *err)
{
    return map_part(map, part, false, err);
}

static enum cuzk_status read_descriptor(uint8_t *to, size_t n, int fd, const struct file_part *part,
                                        struct cuzk_error *err)
{
    size_t done = 0;

    while (done < n) {
        const ssize_t got = pread(fd, to + done, n - done, (off_t)(part->offset + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(err, CUZK_IO, "%s: %s", file_part_name(part), strerror(errno));
        if (got == 0)
            return error_set(err, CUZK_BAD_INPUT,
                             "%s: expected %zu bytes at offset %" PRIu64
                             ", the file ends after %zu",
                             file_part_name(part), n, part->offset, done);
        done += (size_t)got;
    }
    return CUZK_OK;
}

enum cuzk_status file_read(struct region *ret, size_t *ret_bytes, const struct file_part *part,
                           struct budget *budget, enum mem_class class, struct cuzk_error *err)
{
    enum cuzk_status st;
    size_t bytes;
    int fd;

    TRY(open_part(part, &fd, &bytes, err));
    st = region_map(ret, budget, class, bytes, err);
    if (st == CUZK_OK) {
        st = read_descriptor(ret->base, bytes, fd, part, err);
        if (st != CUZK_OK)
            region_unmap(ret);
    }
    close(fd);
    if (st == CUZK_OK)
        *ret_bytes = bytes;
    return st;
}

enum cuzk_status file_map(struct file_map *map, const char *path, struct cuzk_error *err)
{
    const struct file_part whole = file_whole(path);

    return file_map_part(map, &whole, err);
}

enum cuzk_status file_map_fetched(struct file_map *map, const char *path, struct cuzk_error *err)
{
    const struct file_part whole = file_whole(path);

    return map_part(map, &whole, true, err);
}

void file_unmap(struct file_map *map)
{
    file_fetch_free(map->fetch);
    if (map->data)
        munmap((void *)((uintptr_t)map->data - map->lead), map->bytes + map->lead);
    mem_free(map->path);
    *map = (struct file_map){0};
}

void file_drop(const struct file_map *map, const void *begin, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t at = (size_t)((uintptr_t)begin - (uintptr_t)map->data);
    size_t from = at / page * page, to = (at + bytes) / page * page;

    if (!map->data || at > map->bytes || bytes > map->bytes - at || from >= to)
        return;
    madvise((void *)((uintptr_t)map->data + from), to - from, MADV_DONTNEED);
}

/* ---- writing --------------------------------------------------------------------------------- */

static enum cuzk_status io_error(const char *path, struct cuzk_error *err)
{
    return error_set(err, CUZK_IO, "%s: %s", path, strerror(errno));
}

enum cuzk_status out_open(struct out_file *out, const char *path, struct cuzk_error *err)
{
    size_t room = strlen(path) + sizeof ".XXXXXX";
    int fd;

    *out = (struct out_file){.path = mem_copy_string(path), .temporary = mem_new(room)};
    if (!out->path || !out->temporary) {
        out_abort(out);
        return error_set(err, CUZK_NO_MEMORY, "%s: no memory for its name", path);
    }
    snprintf(out->temporary, room, "%s.XXXXXX", path);
    fd = mkostemp(out->temporary, O_CLOEXEC);
    if (fd < 0) {
        enum cuzk_status st = io_error(path, err);

        mem_free(out->temporary);
        out->temporary = NULL;
        out_abort(out);
        return st;
    }
    fchmod(fd, 0644);
    out->stream = fdopen(fd, "wb");
    if (!out->stream) {
        enum cuzk_status st = io_error(path, err);

        close(fd);
        out_abort(out);
        return st;
    }
    return CUZK_OK;
}

enum cuzk_status out_write(struct out_file *out, const void *bytes, size_t n,
                           struct cuzk_error *err)
{
    if (n && fwrite(bytes, 1, n, out->stream) != n)
        return io_error(out->path, err);
    return CUZK_OK;
}

/* Bytes [begin, end) of the file; a file system that has no such thing will do it at the end. */
static enum cuzk_status sync_range(const struct out_file *out, uint64_t begin, uint64_t end,
                                   unsigned flags, struct cuzk_error *err)
{
    if (begin == end ||
        sync_file_range(fileno(out->stream), (off_t)begin, (off_t)(end - begin), flags) == 0)
        return CUZK_OK;
    if (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP || errno == ESPIPE)
        return CUZK_OK;
    return io_error(out->path, err);
}

enum cuzk_status out_write_behind(struct out_file *out, struct cuzk_error *err)
{
    const off_t at = ftello(out->stream);

    if (at < 0 || fflush(out->stream) != 0)
        return io_error(out->path, err);
    TRY(sync_range(out, out->ended, out->begun,
                   SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER,
                   err));
    out->ended = out->begun;
    out->begun = (uint64_t)at;
    return sync_range(out, out->ended, out->begun, SYNC_FILE_RANGE_WRITE, err);
}

enum cuzk_status out_seek(struct out_file *out, uint64_t at, struct cuzk_error *err)
{
    return fseeko(out->stream, (off_t)at, SEEK_SET) == 0 ? CUZK_OK : io_error(out->path, err);
}

enum cuzk_status out_reserve(struct out_file *out, uint64_t bytes, struct cuzk_error *err)
{
    const int fd = fileno(out->stream);

    if (fallocate(fd, 0, 0, (off_t)bytes) == 0)
        return CUZK_OK;
    if (errno != EOPNOTSUPP && errno != ENOSYS)
        return io_error(out->path, err);
    return ftruncate(fd, (off_t)bytes) == 0 ? CUZK_OK : io_error(out->path, err);
}

enum cuzk_status out_commit(struct out_file *out, struct cuzk_error *err)
{
    bool failed =
        ferror(out->stream) || fflush(out->stream) != 0 || fsync(fileno(out->stream)) != 0;
    enum cuzk_status st = failed ? io_error(out->path, err) : CUZK_OK;

    if (fclose(out->stream) != 0 && st == CUZK_OK)
        st = io_error(out->path, err);
    out->stream = NULL;
    if (st == CUZK_OK && rename(out->temporary, out->path) != 0)
        st = io_error(out->path, err);
    if (st == CUZK_OK) {
        mem_free(out->temporary);
        out->temporary = NULL;
    }
    out_abort(out);
    return st;
}

void out_abort(struct out_file *out)
{
    if (out->stream)
        fclose(out->stream);
    if (out->temporary)
        unlink(out->temporary);
    mem_free(out->temporary);
    mem_free(out->path);
    *out = (struct out_file){0};
}
