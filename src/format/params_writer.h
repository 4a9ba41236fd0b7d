/* bellperson's keys, written as groth16_setup makes them (the layout: format/bellperson.h). */
#ifndef FORMAT_PARAMS_WRITER_H
#define FORMAT_PARAMS_WRITER_H

#include "base/file.h"
#include "groth16/key.h"
#include "groth16/setup.h"

/* The bytes of a .vk, at the place where the file is. */
MUST_CHECK enum cuzk_status vk_write(struct out_file *out, const struct verifying_key *vk,
                                     struct cuzk_error *err);

/* A .params file, and beside it the .vk, being written. */
struct params_writer {
    const struct curve *curve;
    struct pool *pool; /* encodes */
    struct out_file params, vk;
    size_t missing; /* points announced and not yet there */
    size_t behind;  /* bytes since the disk was last waited for */
};

/* vk_path may be NULL; so may the pool: one thread. */
MUST_CHECK enum cuzk_status params_writer_open(struct params_writer *w, const struct curve *curve,
                                               const char *params_path, const char *vk_path,
                                               struct pool *pool, struct cuzk_error *err);
struct key_sink params_writer_sink(struct params_writer *w);
/* The files appear, the .params first, each whole. */
MUST_CHECK enum cuzk_status params_writer_commit(struct params_writer *w, struct cuzk_error *err);
void params_writer_abort(struct params_writer *w); /* accepts a zeroed or a committed one */

#endif
