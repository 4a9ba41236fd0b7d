/* What every test program includes first: cmocka with its prerequisites, and the seed. */
#ifndef SUPPORT_TESTING_H
#define SUPPORT_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/rng.h"

/* The seed of this run: CUZK_SEED, or the clock. Printed once, so that a failure can be repeated. */
uint64_t test_seed(void);

/* A path below $CUZK_TEST_DATA in a static buffer, or NULL (after saying so) when the variable is
 * unset or the file is not there. Callers skip(). With CUZK_REQUIRE_DATA=1 that is a failure. */
const char *test_data_path(const char *relative);

/* A path in the source tree's tests/ folder, in a static buffer. */
const char *test_vector_path(const char *relative);

/* A fresh name for a scratch file in the build folder, in a static buffer. */
const char *test_scratch_path(const char *name);

/* A call that fails ends the test, with its sentence and the place. */
#define assert_ok(call, err) assert_ok_((call), &(err), __FILE__, __LINE__)
void assert_ok_(enum cuzk_status st, const struct cuzk_error *err, const char *file, int line);

/* Long cases run with CUZK_LONG=1 only. */
bool test_long(void);

#endif
