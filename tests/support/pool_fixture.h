/* A pool of all processors, as long as a group of tests runs. */
#ifndef SUPPORT_POOL_FIXTURE_H
#define SUPPORT_POOL_FIXTURE_H

#include "base/pool.h"

extern struct pool *pool;

/* cmocka_run_group_tests_name(..., make_pool, free_pool) */
int make_pool(void **state);
int free_pool(void **state);

#endif
