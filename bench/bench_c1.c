/* Reading the C1 of a 32 GiB sector (10 * 18 proofs, 51 MB of JSON) in every form: time, and memory
 * beyond the result. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "filecoin/c1.h"
#include "filecoin/c1_write.h"
#include "support/c1_sample.h"

enum form { FORM_API, FORM_WRAPPER, FORM_NATIVE, FORM_BINCODE, N_FORMS };
static const char *const form_names[N_FORMS] = {"api-json", "wrapper", "native-json", "bincode"};

static const char *form_path(enum form form)
{
    static char path[4096];

    snprintf(path, sizeof path, "%s/scratch-%d-c1-%s", CUZK_BINARY_DIR, (int)getpid(),
             form_names[form]);
    return path;
}

static FILE *create(enum form form)
{
    FILE *out = fopen(form_path(form), "w");

    if (!out) {
        perror(form_path(form));
        exit(1);
    }
    return out;
}

/* A text file as one string. */
static char *slurp(enum form form, size_t *ret_n)
{
    FILE *in = fopen(form_path(form), "r");
    char *text;

    fseek(in, 0, SEEK_END);
    *ret_n = (size_t)ftell(in);
    rewind(in);
    text = malloc(*ret_n + 1);
    if (!text || fread(text, 1, *ret_n, in) != *ret_n)
        exit(1);
    fclose(in);
    return text;
}

static void write_forms(const struct vanilla_porep *v, const struct seal_proof *proof)
{
    FILE *out = create(FORM_API);
    char *text;
    size_t n;

    c1_write_json(out, v, proof);
    fclose(out);
    text = slurp(FORM_API, &n);
    out = create(FORM_WRAPPER);
    c1_write_wrapper(out, text, n, 7, proof->size->bytes);
    fclose(out);
    free(text);
    out = create(FORM_NATIVE);
    c1_write_json(out, v, NULL);
    fclose(out);
    out = create(FORM_BINCODE);
    c1_write_bincode(out, v);
    fclose(out);
}

static int measure(enum form form, const struct seal_proof *proof)
{
    const struct c1_hints hints = {.registered_proof = (int)proof->number};
    struct cuzk_error err;
    struct budget budget;
    double wall = clock_seconds(), cpu = clock_cpu_seconds();
    struct c1 c1;

    budget_init(&budget, 0);
    if (c1_read_file(&c1, form_path(form), &hints, &budget, &err) != CUZK_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    printf("c1-read %s %s 1 thread ours %.0f ms (CPU %.0f ms), result %zu KiB, beyond it %zu KiB\n",
           form_names[form], proof->size->name, (clock_seconds() - wall) * 1e3,
           (clock_cpu_seconds() - cpu) * 1e3, budget.now >> 10, (budget.peak - budget.now) >> 10);
    c1_done(&c1);
    return 0;
}

int main(void)
{
    const char *smoke = getenv("CUZK_BENCH_SMOKE");
    const struct seal_proof *proof = seal_proof_of_number(smoke && *smoke == '1' ? 5 : 8);
    struct vanilla_porep v;
    struct rng rng;
    int bad = 0;

    rng_seed(&rng, 1);
    c1_sample(&v, &proof->size->porep, proof->size->porep_partitions, &rng);
    write_forms(&v, proof);
    vanilla_porep_done(&v);
    for (enum form form = 0; form < N_FORMS; form++) {
        bad |= measure(form, proof);
        unlink(form_path(form));
    }
    return bad;
}
