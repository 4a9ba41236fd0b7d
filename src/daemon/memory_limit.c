#include "daemon/memory_limit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* A file that holds one number, or "max" and the like: then it sets no limit. */
static void consider_file(struct search *s, const char *folder, const char *name)
{
    char path[1024], text[64];
    unsigned long long bytes;
    char *end;
    FILE *f;

    if ((size_t)snprintf(path, sizeof path, "%s%s/%s", s->root, folder, name) >= sizeof path)
        return;
    f = fopen(path, "re");
    if (!f)
        return;
    if (fgets(text, sizeof text, f)) {
        errno = 0;
        bytes = strtoull(text, &end, 10);
        if (end != text && errno == 0)
            consider(s, bytes, path);
    }
    fclose(f);
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

/* The group and all above it, up to the mount. `at` is cut in place. */
static void consider_group(struct search *s, const char *mount, char *at, const char *const *names)
{
    for (;;) {
        char folder[1024], *slash;

        if ((size_t)snprintf(folder, sizeof folder, "%s%s", mount, at) < sizeof folder)
            for (const char *const *name = names; *name; name++)
                consider_file(s, folder, *name);
        slash = strrchr(at, '/');
        if (!slash || !at[0])
            return;
        *slash = 0;
    }
}

/* Lines "0::/path" (v2) and "N:controllers:/path" (v1, the one with the memory controller). In a
 * container the path may be that of the host, which is not there below the mount: the mount itself
 * is looked at in any case. */
static void consider_groups(struct search *s)
{
    static const char *const v1[] = {"memory.limit_in_bytes", NULL};
    static const char *const v2[] = {"memory.max", "memory.high", NULL};
    char path[1024], line[1024];
    FILE *f;

    snprintf(path, sizeof path, "%s/proc/self/cgroup", s->root);
    f = fopen(path, "re");
    if (!f)
        return;
    while (fgets(line, sizeof line, f)) {
        char *controllers = strchr(line, ':'),
             *at = controllers ? strchr(controllers + 1, ':') : NULL;

        if (!at)
            continue;
        *at++ = 0;
        controllers++;
        at[strcspn(at, "\n")] = 0;
        if (!controllers[0])
            consider_group(s, "/sys/fs/cgroup", at, v2);
        else if (strstr(controllers, "memory"))
            consider_group(s, "/sys/fs/cgroup/memory", at, v1);
    }
    fclose(f);
}

uint64_t memory_limit(const char *root, char ret_from[256])
{
    struct search s = {.root = root, .from = ret_from};

    if (ret_from)
        ret_from[0] = 0;
    consider_meminfo(&s);
    consider_groups(&s);
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
