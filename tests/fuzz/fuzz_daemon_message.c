/* Requests for proofs as protobuf: what is decoded lies within the file. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/proving_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    job_decode_fn *const decoders[] = {proving_decode_submit, proving_decode_prove};
    static int fd = -1;

    if (fd < 0)
        fd = memfd_create("request", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, n, 0) != (ssize_t)n)
        abort();
    for (int i = 0; i < 2; i++) {
        struct job_request request = {0};
        struct cuzk_error err;

        if (decoders[i](&request, fd, n, &err) == CUZK_OK)
            for (size_t k = 0; k < job_request_n_ranges(&request); k++) {
                struct job_range range = job_request_ranges(&request)[k];

                if (range.offset > n || range.bytes > n - range.offset)
                    abort();
            }
        job_request_done(&request);
    }
    if (n > 0 && (proving_urgency_submit(data, n) > 3 || proving_urgency_prove(data, n) > 3))
        abort();
    return 0;
}
