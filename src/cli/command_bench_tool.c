/* cuzk-bench: load on a daemon, with the original's subcommands and options:
 *
 *     single, batch, status, preload, metrics */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hex.h"
#include "base/quantity.h"
#include "cli/bench_plot.h"
#include "cli/bench_run.h"
#include "cli/daemon_cli.h"

enum { FILES_MAX = 1024 };

struct arguments {
    const char *command, *circuit, *plot, *out;
    bool json, has_type;
    struct bench bench;
    struct proving_file files[FILES_MAX];
    const char *paths[FILES_MAX];
};

/* ---- arguments ------------------------------------------------------------------------------- */

static bool kind_of_type(const char *text, enum job_kind *ret)
{
    static const struct {
        const char *name;
        enum job_kind kind;
    } names[] = {
        {"porep", JOB_POREP},        {"porep-c2", JOB_POREP},       {"snap", JOB_UPDATE},
        {"snap-update", JOB_UPDATE}, {"update", JOB_UPDATE},        {"wpost", JOB_WINDOW},
        {"window", JOB_WINDOW},      {"window-post", JOB_WINDOW},   {"winning", JOB_WINNING},
        {"wnpost", JOB_WINNING},     {"winning-post", JOB_WINNING},
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(text, names[i].name) == 0) {
            *ret = names[i].kind;
            return true;
        }
    return false;
}

enum {
    KEY_C1 = 0x600,
    KEY_VANILLA,
    KEY_PROOF,
    KEY_SECTOR_NUM,
    KEY_MINER,
    KEY_PARTITION,
    KEY_RANDOMNESS,
    KEY_COMM_R_OLD,
    KEY_COMM_R_NEW,
    KEY_COMM_D_NEW,
    KEY_PLOT,
    KEY_LOG_LEVEL,
    KEY_PRIORITY,
};

static void add_file(struct arguments *a, struct argp_state *state, const char *path)
{
    if (a->bench.n_files == FILES_MAX)
        argp_error(state, "at most %d files", FILES_MAX);
    a->paths[a->bench.n_files++] = path;
}

static void take_count(struct arguments *a, struct argp_state *state, const char *arg)
{
    if (a->command && strcmp(a->command, "preload") == 0)
        a->circuit = arg;
    else
        a->bench.count = (unsigned)cli_number(state, "--count", arg, 1000000);
}

static error_t parse_request(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    struct job_request *r = &a->bench.request;

    switch (key) {
    case 't':
        if (!kind_of_type(arg, &r->kind))
            argp_error(state, "--type: '%s' is not porep, snap, wpost or winning", arg);
        a->has_type = true;
        return 0;
    case KEY_C1: add_file(a, state, arg); return 0;
    case KEY_VANILLA: add_file(a, state, arg); return 0;
    case KEY_PROOF:
        r->registered_proof = cli_number(state, "--registered-proof", arg, 1000);
        return 0;
    case KEY_SECTOR_NUM:
        r->sector_number = cli_number(state, "--sector-num", arg, UINT64_MAX);
        return 0;
    case KEY_MINER: r->miner_id = cli_number(state, "--miner-id", arg, UINT64_MAX); return 0;
    case KEY_PARTITION:
        r->partition_index = (uint32_t)cli_number(state, "--partition", arg, UINT32_MAX);
        return 0;
    case KEY_RANDOMNESS: cli_hex(state, "--randomness", arg, r->randomness, 32); break;
    case KEY_COMM_R_OLD: cli_hex(state, "--comm-r-old", arg, r->comm_r_old, 32); break;
    case KEY_COMM_R_NEW: cli_hex(state, "--comm-r-new", arg, r->comm_r_new, 32); break;
    case KEY_COMM_D_NEW: cli_hex(state, "--comm-d-new", arg, r->comm_d_new, 32); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    r->n_randomness = key == KEY_RANDOMNESS ? 32 : r->n_randomness;
    r->n_comm_r_old = key == KEY_COMM_R_OLD ? 32 : r->n_comm_r_old;
    r->n_comm_r_new = key == KEY_COMM_R_NEW ? 32 : r->n_comm_r_new;
    r->n_comm_d_new = key == KEY_COMM_D_NEW ? 32 : r->n_comm_d_new;
    return 0;
}

static void check(const struct arguments *a, struct argp_state *state)
{
    bool proves;

    if (!a->command)
        argp_error(state, "expected single, batch, status, preload or metrics");
    proves = strcmp(a->command, "single") == 0 || strcmp(a->command, "batch") == 0;
    if (proves && !a->has_type)
        argp_error(state, "expected -t porep, snap, wpost or winning");
    if (proves && a->bench.n_files == 0)
        argp_error(state, "expected --c1 FILE or --vanilla FILE");
    if (proves && (a->bench.count == 0 || a->bench.concurrency == 0))
        argp_error(state, "--count and --concurrency: expected at least 1");
    if (strcmp(a->command, "preload") == 0 && !a->circuit)
        argp_error(state, "expected -c CIRCUIT");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case 'c': take_count(a, state, arg); return 0;
    case 'j':
        a->bench.concurrency = (unsigned)cli_number(state, "--concurrency", arg, 256);
        return 0;
    case 'o': a->out = arg; return 0;
    case 'J': a->json = true; return 0;
    case KEY_PLOT: a->plot = arg; return 0;
    case KEY_LOG_LEVEL: return 0; /* the original's; we say nothing but results */
    case ARGP_KEY_ARG:
        if (!a->command)
            a->command = arg;
        else
            add_file(a, state, arg);
        return 0;
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->bench.place; return 0;
    case ARGP_KEY_END: check(a, state); return 0;
    default: return parse_request(key, arg, state);
    }
}

static const struct argp_option options[] = {
    {"type", 't', "KIND", 0, "porep, snap, wpost or winning", 1},
    {"c1", KEY_C1, "FILE", 0, "porep: the C1, in any form that cuzk prove reads", 1},
    {"vanilla", KEY_VANILLA, "FILE", 0, "the other kinds: a vanilla proof; again for each one", 1},
    {"registered-proof", KEY_PROOF, "N", 0, "number of the proof type", 1},
    {"sector-num", KEY_SECTOR_NUM, "N", 0, "default 1", 1},
    {"miner-id", KEY_MINER, "N", 0, "default 1000", 1},
    {"partition", KEY_PARTITION, "K", 0, "wpost: partition of the deadline", 1},
    {"randomness", KEY_RANDOMNESS, "HEX", 0, "wpost, winning", 1},
    {"comm-r-old", KEY_COMM_R_OLD, "HEX", 0, "snap", 1},
    {"comm-r-new", KEY_COMM_R_NEW, "HEX", 0, "snap", 1},
    {"comm-d-new", KEY_COMM_D_NEW, "HEX", 0, "snap", 1},
    {"count", 'c', "N", 0, "batch: proofs, default 3; preload: -c CIRCUIT", 2},
    {"concurrency", 'j', "N", 0, "batch: requests at the same time, default 1", 2},
    {"plot", KEY_PLOT, "FILE", 0, "batch: memory and stages over time, as SVG", 2},
    {"output", 'o', "FILE", 0, "single: write the proof there", 2},
    {"json", 'J', 0, 0, "answer in JSON", 2},
    {"log-level", KEY_LOG_LEVEL, "LEVEL", 0, "accepted, as by the original", 2},
    {0},
};
static const struct argp_child children[] = {{&cli_place_argp, 0, 0, 0}, {0}};
static const struct argp bench_argp = {options,
                                       parse,
                                       "single|batch|status|preload|metrics [FILE...]",
                                       "Asks a daemon for proofs and says what they took.",
                                       children,
                                       0,
                                       0};

/* ---- commands -------------------------------------------------------------------------------- */

static enum cuzk_status open_files(struct arguments *a, struct cuzk_error *err)
{
    for (size_t i = 0; i < a->bench.n_files; i++) {
        struct stat st;
        int fd = open(a->paths[i], O_RDONLY | O_CLOEXEC);

        a->files[i] = (struct proving_file){.fd = fd};
        if (fd < 0 || fstat(fd, &st) != 0)
            return error_set(err, CUZK_IO, "%s: %s", a->paths[i], strerror(errno));
        a->files[i].bytes = (uint64_t)st.st_size;
    }
    a->bench.files = a->files;
    return CUZK_OK;
}

static enum cuzk_status write_proof(const char *path, const struct proving_answer *answer,
                                    struct cuzk_error *err)
{
    struct out_file out = {0};
    enum cuzk_status st;

    TRY(out_open(&out, path, err));
    st = out_write(&out, answer->proof, answer->proof_bytes, err);
    if (st == CUZK_OK)
        return out_commit(&out, err);
    out_abort(&out);
    return st;
}

static void report_single(struct report *report, const struct bench_result *r)
{
    char digits[2 * sizeof r->last.proof + 1];

    hex_encode(digits, r->last.proof, r->last.proof_bytes);
    report_text(report, "job", "%s", r->last.job_id);
    report_real(report, "wall seconds", r->wall[0]);
    report_number(report, "queue ms", r->last.queue_wait_ms);
    report_number(report, "key ms", r->last.srs_load_ms);
    report_number(report, "synthesis ms", r->last.synthesis_ms);
    report_number(report, "compute ms", r->last.gpu_compute_ms);
    report_number(report, "total ms", r->last.total_ms);
    report_number(report, "proof bytes", r->last.proof_bytes);
    report_text(report, "proof", "%s", digits);
}

static void report_batch(struct report *report, const struct bench_result *r, bool json)
{
    char text[QUANTITY_TEXT];

    report_number(report, "proofs", r->done);
    report_number(report, "failed", r->failed);
    report_real(report, "seconds", r->seconds);
    report_real(report, "seconds a proof", r->done ? r->seconds / r->done : 0);
    report_real(report, "proofs a minute", r->seconds > 0 ? 60 * r->done / r->seconds : 0);
    report_real(report, "min", bench_quantile(r->wall, r->done, 0));
    report_real(report, "median", bench_quantile(r->wall, r->done, 0.5));
    report_real(report, "p95", bench_quantile(r->wall, r->done, 0.95));
    report_real(report, "max", bench_quantile(r->wall, r->done, 1));
    report_real(report, "median without queue", r->prove_median);
    quantity_size_rounded(text, (uint64_t)r->peak_bytes);
    if (json)
        report_number(report, "daemon peak bytes", (uint64_t)r->peak_bytes);
    else
        report_text(report, "daemon peak memory", "%s", text);
}

static int run_bench(struct arguments *a)
{
    bool single = strcmp(a->command, "single") == 0;
    struct bench_result result = {0};
    struct report report;
    struct cuzk_error err = {0};
    enum cuzk_status st;
    bool failed;

    a->bench.count = single ? 1 : a->bench.count;
    a->bench.quiet = single || a->json;
    st = open_files(a, &err);
    if (st == CUZK_OK)
        st = bench_run(&a->bench, &result, &err);
    if (st == CUZK_OK && a->plot)
        st = bench_plot_write(a->plot, &result.samples, &result.spans, a->bench.count,
                              result.seconds, &err);
    if (st == CUZK_OK && a->out && single && result.done)
        st = write_proof(a->out, &result.last, &err);
    failed = result.failed > 0;
    report_init(&report);
    if (st == CUZK_OK && single && result.done)
        report_single(&report, &result);
    else if (st == CUZK_OK && !single)
        report_batch(&report, &result, a->json);
    bench_result_done(&result);
    if (st != CUZK_OK) {
        report_done(&report);
        return cli_fail(st, &err);
    }
    if (single && failed) {
        report_done(&report);
        return CUZK_INVALID;
    }
    return cli_answer(&report, a->json) ? CUZK_IO : failed ? CUZK_INVALID : 0;
}

static int run_question(struct arguments *a)
{
    struct client *client = NULL;
    struct text text = {0};
    struct cuzk_error err = {0};
    bool was_loaded = false;
    uint64_t ms = 0;
    enum cuzk_status st = proving_open(&client, &a->bench.place, &err);

    if (st == CUZK_OK && strcmp(a->command, "status") == 0)
        st = proving_status(client, &text, &err);
    else if (st == CUZK_OK && strcmp(a->command, "metrics") == 0)
        st = proving_metrics(client, &text, &err);
    else if (st == CUZK_OK)
        st = proving_preload(client, a->circuit, &was_loaded, &ms, &err);
    client_close(client);
    if (st != CUZK_OK)
        return cli_fail(st, &err);
    if (text.bytes)
        fputs(text.bytes, stdout);
    else if (was_loaded)
        puts("loaded already");
    else
        printf("loaded in %lu ms\n", (unsigned long)ms);
    text_free(&text);
    return cli_printed();
}

int command_bench_tool(int argc, char **argv)
{
    static const char *const questions[] = {"status", "metrics", "preload"};
    static struct arguments a; /* large */
    int code;

    a.bench =
        (struct bench){.place.address = BENCH_ADDRESS,
                       .request = {.request_id = "bench", .sector_number = 1, .miner_id = 1000},
                       .count = 3,
                       .concurrency = 1};
    code = cli_parse(&bench_argp, argc, argv, &a);
    if (code)
        return code;
    if (strcmp(a.command, "single") == 0 || strcmp(a.command, "batch") == 0)
        return run_bench(&a);
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++)
        if (strcmp(a.command, questions[i]) == 0)
            return run_question(&a);
    fprintf(stderr, "cuzk-bench: no command '%s': single, batch, status, preload or metrics\n",
            a.command);
    return CUZK_USAGE;
}
