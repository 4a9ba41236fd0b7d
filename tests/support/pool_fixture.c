#include "support/pool_fixture.h"

struct pool *pool;

int make_pool(void **state)
{
    (void)state;
    return pool_new(&pool, 0, NULL) == CUZK_OK ? 0 : -1;
}

int free_pool(void **state)
{
    (void)state;
    pool_free(pool);
    pool = NULL;
    return 0;
}
