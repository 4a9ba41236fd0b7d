// The public header compiles as C++, and its options are all optional.
#include "cuzk/cuzk.h"

extern "C" enum cuzk_status public_header_from_cxx();

extern "C" enum cuzk_status public_header_from_cxx()
{
    cuzk_context *ctx = nullptr;
    cuzk_options options{};
    cuzk_error err{};

    options.threads = 1;
    enum cuzk_status st = cuzk_context_new(&ctx, &options, &err);
    cuzk_context_free(ctx);
    return st;
}
