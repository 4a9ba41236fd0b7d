/* One program for a GPU machine, because each would bring the kernels along:
 *
 *     gpu_tests NAME [ARGUMENT]...
 */
#include "gpu/gpu_tests.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } programs[] = {
        {"matrices", gpu_matrices},
        {"sums", gpu_sums},
        {"setup", gpu_setup},
        {"memory", gpu_memory},
        {"faults", gpu_faults},
        {"forms", gpu_forms},
        {"speed", gpu_speed},
        {"transforms", gpu_transforms},
        {"key_transforms", gpu_key_transforms},
    };
    const size_t n = sizeof programs / sizeof *programs;

    for (size_t i = 0; argc > 1 && i < n; i++)
        if (strcmp(argv[1], programs[i].name) == 0)
            return programs[i].run(argc - 1, argv + 1);
    fprintf(stderr, "gpu_tests NAME [ARGUMENT]..., where NAME is one of");
    for (size_t i = 0; i < n; i++)
        fprintf(stderr, " %s", programs[i].name);
    fprintf(stderr, "\n");
    return 2;
}
