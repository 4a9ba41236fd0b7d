#include "support/machine_root.h"

#include "support/testing.h"

static char root[512];

const char *machine_root(void)
{
    return root;
}

void machine_put(const char *name, const char *text)
{
    char path[2400];
    FILE *f;

    snprintf(path, sizeof path, "mkdir -p \"$(dirname '%s/%s')\"", root, name);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/%s", root, name);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

int machine_root_new(void **state)
{
    char command[1200];

    (void)state;
    snprintf(root, sizeof root, "%s", test_scratch_path("machine"));
    snprintf(command, sizeof command, "rm -rf '%s'; mkdir '%s'", root, root);
    return system(command);
}

int machine_root_remove(void **state)
{
    char command[1200];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}
