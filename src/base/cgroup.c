#include "base/cgroup.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The group and all above it, up to the mount. `at` is cut in place. */
static void visit_upwards(const char *mount, char *at, enum cgroup_version version,
                          cgroup_fn *visit, void *ctx)
{
    for (;;) {
        char folder[2048], *slash;

        if ((size_t)snprintf(folder, sizeof folder, "%s%s", mount, at) < sizeof folder)
            visit(ctx, version, folder);
        slash = strrchr(at, '/');
        if (!slash)
            return;
        *slash = 0;
    }
}

/* Is the word in the list "a,b,c"? */
static bool in_list(const char *list, const char *word)
{
    const size_t n = strlen(word);

    while (*list) {
        const size_t item = strcspn(list, ",");

        if (item == n && strncmp(list, word, n) == 0)
            return true;
        list += item + (list[item] == ',');
    }
    return false;
}

/* A hierarchy of v1 is mounted under the names of all its controllers, and mostly linked to under
 * each of them. */
static void mount_of(char ret[1024], const char *root, const char *controller,
                     const char *controllers)
{
    snprintf(ret, 1024, "%s/sys/fs/cgroup/%s", root, controller);
    if (access(ret, F_OK) != 0)
        snprintf(ret, 1024, "%s/sys/fs/cgroup/%s", root, controllers);
}

/* Lines "0::/path" (v2) and "N:controllers:/path" (v1). */
void cgroup_each(const char *root, const char *controller, cgroup_fn *visit, void *ctx)
{
    char path[1024], line[1024], mount[1024];
    FILE *f;

    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
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
        if (!controllers[0]) {
            snprintf(mount, sizeof mount, "%s/sys/fs/cgroup", root);
            visit_upwards(mount, at, CGROUP_V2, visit, ctx);
        } else if (in_list(controllers, controller)) {
            mount_of(mount, root, controller, controllers);
            visit_upwards(mount, at, CGROUP_V1, visit, ctx);
        }
    }
    fclose(f);
}

bool cgroup_line(const char *folder, const char *name, char ret[CGROUP_LINE], char ret_path[256])
{
    char path[2400];
    bool read;
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "re");
    if (!f)
        return false;
    read = fgets(ret, CGROUP_LINE, f) != NULL;
    fclose(f);
    if (ret_path)
        snprintf(ret_path, 256, "%.255s", path);
    return read;
}
