#include "filecoin/sample_porep.h"

#include <string.h>

static void prove_column(const struct sample_sector *s, struct vanilla_column *column,
                         uint64_t number)
{
    memcpy(column->rows, sample_sector_column(s, number),
           s->config->shape.layers * sizeof(struct scalar));
    column->index = (uint32_t)number;
    sample_tree_path(&s->tree_c, number, &column->path);
}

static void prove_challenge(const struct sample_sector *s, struct vanilla_challenge *c,
                            uint64_t number)
{
    uint32_t parents[N_PARENTS];

    graph_parents(&s->graph, number, parents);
    c->node = number;
    sample_tree_path(&s->tree_d, number, &c->data);
    sample_tree_path(&s->tree_r_last, number, &c->replica);
    prove_column(s, &c->column, number);
    for (int p = 0; p < N_PARENTS; p++)
        prove_column(s, &c->parents[p], parents[p]);
}

enum cuzk_status sample_porep(struct vanilla_porep *ret, const struct sample_sector *sector,
                              struct budget *budget, struct cuzk_error *err)
{
    const struct porep_config *config = sector->config;

    TRY(vanilla_porep_new(ret, &config->shape, config->partitions, budget, err));
    for (size_t i = 0; i < sector->n_challenges; i++)
        prove_challenge(sector, &ret->challenges[i], sector->challenges[i]);
    ret->seal = sector->seal;
    return CUZK_OK;
}
