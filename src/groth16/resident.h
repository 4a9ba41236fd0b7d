/* A proving key whose points are on a device: handles of prepared points instead of views.
 *
 * Made by groth16_setup_resident. The device outlives it; its handles are the oldest pieces of the
 * device's arena. */
#ifndef GROTH16_RESIDENT_H
#define GROTH16_RESIDENT_H

#include "groth16/key.h"

struct resident_key {
    const struct backend *backend;
    struct verifying_key vk;
    enum h_basis h_basis;
    uint64_t domain_generator;
    struct bases *bases[KEY_N_QUERIES];
};

/* Arena bytes of the handles. */
size_t resident_key_bytes(const struct backend *backend, const struct qap *qap, enum h_basis basis);
/* Room for every query; the points are to come, and so is vk. */
MUST_CHECK enum cuzk_status resident_key_init(struct resident_key *ret,
                                              const struct backend *backend, struct device *device,
                                              const struct qap *qap, enum h_basis basis,
                                              uint64_t domain_generator, struct cuzk_error *err);
void resident_key_done(struct resident_key *key); /* accepts a zeroed one */

#endif
