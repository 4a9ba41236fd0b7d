/* The control groups that we are in: what memory and processors are limited by beside the machine.
 *
 * A limit may stand at our own group and at each one above it; the least counts. In a container
 * /proc/self/cgroup may name the host's path, which is not there below the mount: the mount itself,
 * which is then the container's own group, is looked at in any case. */
#ifndef BASE_CGROUP_H
#define BASE_CGROUP_H

#include <stdbool.h>

enum cgroup_version { CGROUP_V1 = 1, CGROUP_V2 };

/* folder: of a group, its path with the root before it. It need not exist. */
typedef void cgroup_fn(void *ctx, enum cgroup_version version, const char *folder);

/* Calls visit for our groups of `controller` ("memory", "cpu") and all those above them.
 * root: "" for this machine, or a folder that has proc/ and sys/fs/cgroup/ below it (tests). */
void cgroup_each(const char *root, const char *controller, cgroup_fn *visit, void *ctx);

#define CGROUP_LINE 64

/* The first line of a group's file; false where there is none. ret_path (may be NULL): its path, at
 * most 255 characters. */
bool cgroup_line(const char *folder, const char *name, char ret[CGROUP_LINE], char ret_path[256]);

#endif
