#include "daemon/memory_limit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cgroup.h"

struct search {
    const char *root;
    uint64_t least;
    char *from;
};

static void consider(struct search *s, uint64_t bytes, const char *path)
{
    if (bytes == 0 || (s->least && bytes >= s->least))
        return;
    s->least = bytes;
    if (s->from)
        snprintf(s->from, 256, "%.255s", path);
}

/* Files that hold one number, or "max" and the like: then they set no limit. */
static void consider_group(void *ctx, enum cgroup_version version, const char *folder)
{
    static const char *const v1[] = {"memory.limit_in_bytes", NULL};
    static const char *const v2[] = {"memory.max", "memory.high", NULL};
    char text[CGROUP_LINE], path[256], *end;

    for (const char *const *name = version == CGROUP_V2 ? v2 : v1; *name; name++) {
        unsigned long long bytes;

        if (!cgroup_line(folder, *name, text, path))
            continue;
        errno = 0;
        bytes = strtoull(text, &end, 10);
        if (end != text && errno == 0)
            consider(ctx, bytes, path);
    }
}

static void consider_meminfo(struct search *s)
{
    char path[1024], line[256];
    unsigned long long kib;
    FILE *f;

    snprintf(path, sizeof path, "%s/proc/meminfo", s->root);
    f = fopen(path, "re");
    if (!f)
        return;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "MemTotal: %llu kB", &kib) == 1)
            consider(s, kib << 10, path);
    fclose(f);
}

uint64_t memory_limit(const char *root, char ret_from[256])
{
    struct search s = {.root = root, .from = ret_from};

    if (ret_from)
        ret_from[0] = 0;
    consider_meminfo(&s);
    cgroup_each(root, "memory", consider_group, &s);
    return s.least;
}

uint64_t memory_metered(int pid)
{
    char path[64], line[128];
    unsigned long long kib, sum = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/status", pid);
    f = fopen(path, "re");
    if (!f)
        return 0;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "RssAnon: %llu kB", &kib) == 1 ||
            sscanf(line, "RssShmem: %llu kB", &kib) == 1)
            sum += kib;
    fclose(f);
    return sum << 10;
}
