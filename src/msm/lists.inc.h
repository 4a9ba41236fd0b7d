/* Sums of many lists of points at once: the template.
 *
 * Parameters, kept: GROUP as in curve/group.inc.h; cells and an adder of them come before: msm/cell.inc.h
 * and msm/adder.inc.h, or their counterparts in lanes.
 *
 *     struct g1_lists       up to LISTS_REFS points in lists, and room to add them up
 *     g1_lists_init         empty
 *     g1_lists_open         the points that follow are to be added to *out
 *     g1_lists_put          one more point of the open list
 *     g1_lists_close        all sums are in their places
 *
 * Lists are summed in rounds: neighbours are paired, in all lists at the same time, so that pairs
 * of one round never wait for each other and share their inversions, whatever the lengths: one list
 * with everything in it, or thousands with a point or two. A list of n points takes n - 1
 * additions.
 *
 *     round 1    p0+p1  p2+p3  p4   |  q0+q1 -> *q   |  r0 -> *r
 *     round 2    p01+p23  p4        |
 *     round 3    p0123+p4 -> *p     |
 *
 * The value at *out is the first point of its list unless it is infinity. When the room is full the
 * rounds run, and the open list goes on with its sum so far. */
#define G(name) TEMPLATE_JOIN(GROUP, name)
#define G_CELL_T G(cell_t)

/* Sums on the way take 4096 x 96 bytes of the L2 cache. */
#ifndef LISTS_REFS
#define LISTS_REFS 4096
#endif

struct G(lists) {
    size_t n_lists; /* the last one is open */
    size_t n_refs;
    struct {
        G_CELL_T *out;
        size_t n;
    } list[LISTS_REFS];
    G(ref_t) ref[LISTS_REFS];   /* the points of all lists, one list after the other */
    G_CELL_T sum[LISTS_REFS]; /* of pairs; all rounds together make fewer than there are points */
    struct G(adder) adder;
};

static inline void G(lists_init)(struct G(lists) * lists, struct pool *pool)
{
    lists->n_lists = 0;
    lists->n_refs = 0;
    G(adder_init)(&lists->adder, pool);
}

/* One round: pairs are added, lists that are done leave. *n_sums: used so far of lists->sum. */
static void G(lists_round)(struct G(lists) * lists, size_t *n_sums)
{
    const size_t n_lists = lists->n_lists;
    size_t from = 0, kept_lists = 0, kept_refs = 0;

    for (size_t i = 0; i < n_lists; i++) {
        const size_t n = lists->list[i].n;
        G_CELL_T *out = lists->list[i].out;
        const G(ref_t) *ref = &lists->ref[from];

        from += n;
        if (n == 1) {
            G_CELL_T value;

            G(ref_load)(&value, ref[0]);
            *out = value;
        } else if (n == 2) {
            G(adder_push)(&lists->adder, ref[0], ref[1], out);
        } else if (n > 2) {
            for (size_t j = 0; j + 1 < n; j += 2) {
                G_CELL_T *sum = &lists->sum[(*n_sums)++];

                G(adder_push)(&lists->adder, ref[j], ref[j + 1], sum);
                lists->ref[kept_refs++] = G(ref)(sum, false);
            }
            if (n % 2 != 0)
                lists->ref[kept_refs++] = ref[n - 1];
            lists->list[kept_lists].out = out;
            lists->list[kept_lists++].n = n - n / 2;
        }
    }
    G(adder_flush)(&lists->adder);
    lists->n_lists = kept_lists;
    lists->n_refs = kept_refs;
}

static void G(lists_close)(struct G(lists) * lists)
{
    size_t n_sums = 0;

    while (lists->n_lists > 0)
        G(lists_round)(lists, &n_sums);
}

/* *out must stay where it is until the lists are closed; no two open lists have the same out. */
static inline void G(lists_open)(struct G(lists) * lists, G_CELL_T *out)
{
    if (lists->n_refs == LISTS_REFS || lists->n_lists == LISTS_REFS)
        G(lists_close)(lists);
    lists->list[lists->n_lists].out = out;
    lists->list[lists->n_lists].n = 0;
    if (!G(cell_is_infinity)(out)) {
        lists->ref[lists->n_refs++] = G(ref)(out, false);
        lists->list[lists->n_lists].n = 1;
    }
    lists->n_lists++;
}

/* The point must stay as it is until the lists are closed. */
static inline void G(lists_put)(struct G(lists) * lists, G(ref_t) ref)
{
    if (lists->n_refs == LISTS_REFS) {
        G_CELL_T *out = lists->list[lists->n_lists - 1].out;

        G(lists_close)(lists);
        G(lists_open)(lists, out);
    }
    lists->ref[lists->n_refs++] = ref;
    lists->list[lists->n_lists - 1].n++;
}

#undef G
#undef G_CELL_T
