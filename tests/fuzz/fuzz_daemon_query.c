/* Query parameters of a submission, "name=value" texts that end with a zero byte: taken or refused;
 * what was taken is inside its bounds. */
#include <stdlib.h>
#include <string.h>

#include "daemon/http_query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct job_request *request)
{
    if (request->kind >= JOB_N_KINDS || request->priority >= N_PRIORITIES ||
        (request->n_randomness != 0 && request->n_randomness != 32) ||
        !memchr(request->request_id, 0, sizeof request->request_id) ||
        job_request_n_ranges(request) > JOB_RANGES_MAX)
        abort();
    for (size_t i = 0; i < job_request_n_ranges(request); i++) {
        const struct job_range *range = job_request_ranges(request) + i;

        if (range->bytes == 0 || range->offset + range->bytes <= range->offset)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[1 << 16];
    struct job_request request = {.kind = JOB_KIND_NONE};
    char *name = text, *end;
    bool known;

    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    for (end = text + size; name < end; name += strlen(name) + 1) {
        char *value = strchr(name, '=');

        if (!value)
            continue;
        *value++ = 0;
        (void)query_take_field(&request, name, value, &known);
        name = value;
    }
    check(&request);
    job_request_done(&request);
    return 0;
}
