#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

/* ---- reading --------------------------------------------------------------------------------- */

static enum cuzk_status map_descriptor(struct file_map *map, int fd, const char *path,
                                       struct cuzk_error *err)
{
    struct stat st;
    void *data;

    if (fstat(fd, &st) != 0)
        return error_set(err, CUZK_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return error_set(err, CUZK_BAD_INPUT, "%s: not a regular file", path);
    map->bytes = (size_t)st.st_size;
    if (map->bytes == 0)
        return CUZK_OK;
    data = mmap(NULL, map->bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED)
        return error_set(err, CUZK_IO, "%s: cannot be mapped: %s", path, strerror(errno));
    map->data = data;
    return CUZK_OK;
}

enum cuzk_status file_map(struct file_map *map, const char *path, struct cuzk_error *err)
{
    enum cuzk_status st;
    int fd;

    *map = (struct file_map){0};
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_set(err, CUZK_IO, "%s: %s", path, strerror(errno));
    st = map_descriptor(map, fd, path, err);
    close(fd);
    if (st == CUZK_OK && !(map->path = mem_copy_string(path)))
        st = error_set(err, CUZK_NO_MEMORY, "%s: no memory for its name", path);
    if (st != CUZK_OK)
        file_unmap(map);
    return st;
}

void file_unmap(struct file_map *map)
{
    if (map->data)
        munmap((void *)(uintptr_t)map->data, map->bytes);
    mem_free(map->path);
    *map = (struct file_map){0};
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
