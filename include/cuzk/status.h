/* What can go wrong, and the sentence that says so.
 *
 * Every public function that touches memory, files, devices or somebody else's bytes returns a
 * status. Its value is also the exit code of the command line. Where a function takes a
 * `struct cuzk_error *` (always the last parameter, may be NULL), it receives one line for a human:
 * file, section, offset, what was expected, what was found. Results are written on success only. */
#ifndef CUZK_STATUS_H
#define CUZK_STATUS_H

/* What libcuzk.so exports. */
#if defined(__GNUC__)
#define CUZK_API __attribute__((visibility("default")))
#else
#define CUZK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum cuzk_status {
    CUZK_OK = 0,
    CUZK_INVALID = 1,    /* a proof that does not verify, a check that failed */
    CUZK_USAGE = 2,      /* arguments that make no sense together */
    CUZK_BAD_INPUT = 3,  /* a file or a value that is not what it should be */
    CUZK_NO_MEMORY = 4,  /* does not fit in the memory allowed */
    CUZK_DEVICE = 5,     /* a device failed */
    CUZK_IO = 6,         /* the operating system refused to read or write */
    CUZK_CANCELLED = 7,  /* the caller's cancel flag was seen */
    CUZK_INTERNAL = 70,  /* our own fault */
};

struct cuzk_error {
    enum cuzk_status status;
    char message[512]; /* one line, no newline, always terminated */
};

/* A short fixed name, such as "bad input". Never NULL. */
CUZK_API const char *cuzk_status_name(enum cuzk_status status);

#ifdef __cplusplus
}
#endif
#endif
