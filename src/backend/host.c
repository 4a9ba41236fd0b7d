#include "backend/host.h"

#if defined(__x86_64__)
#include "backend/ifma/ifma_kernels.h"
#include "base/cpu.h"

const struct curve *host_curve(const struct curve *curve)
{
    return cpu_features()->avx512_ifma ? ifma_curve(curve) : curve;
}
#else
const struct curve *host_curve(const struct curve *curve)
{
    return curve;
}
#endif
