/* The back ends of this build, best first: "auto" is the first one that can be used here. */
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/cpu/cpu_backend.h"
#if defined(__x86_64__)
#include "backend/ifma/ifma_backend.h"
#endif
#ifdef CUZK_HAVE_CUDA
#include "backend/cuda/cuda_backend.h"
#endif

static const struct backend *const all[] = {
#ifdef CUZK_HAVE_CUDA
    &backend_cuda,
#endif
#if defined(__x86_64__)
    &backend_ifma,
#endif
    &backend_cpu,
    NULL,
};

const struct backend *const *backend_list(void)
{
    return all;
}

const struct backend *backend_find(const char *name)
{
    bool any = strcmp(name, "auto") == 0;

    for (size_t i = 0; all[i]; i++)
        if (any ? !all[i]->unavailable() : strcmp(name, all[i]->name) == 0)
            return all[i];
    return NULL;
}

const struct backend *backend_host(void)
{
    const char *choice = getenv("CUZK_BACKEND");
    const struct backend *named = choice ? backend_find(choice) : NULL;

    if (named && !named->beside_host && !named->unavailable())
        return named;
    for (size_t i = 0; all[i]; i++)
        if (!all[i]->beside_host && !all[i]->unavailable())
            return all[i];
    return &backend_cpu;
}
