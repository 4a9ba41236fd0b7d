/* A folder that stands for a machine: proc/ and sys/fs/cgroup/ with what a test puts there. */
#ifndef SUPPORT_MACHINE_ROOT_H
#define SUPPORT_MACHINE_ROOT_H

/* Set-up and teardown of a test: an empty folder, and away with it. */
int machine_root_new(void **state);
int machine_root_remove(void **state);

const char *machine_root(void);
/* name: below the folder. */
void machine_put(const char *name, const char *text);

#endif
