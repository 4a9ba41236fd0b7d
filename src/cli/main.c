/* cuzk: the verbs. `cuzk VERB --help` describes each. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "engine/version.h"

/* A build without the daemon's libraries (CMakeLists.txt, CUZK_DAEMON) knows its verbs by name. */
#ifdef CUZK_HAVE_DAEMON
#include "cli/daemon_cli.h"
#define DAEMON_COMMAND(command) command
#else
static int command_missing(int argc, char **argv)
{
    (void)argc;
    fprintf(stderr, "%s: this build is without the daemon and what speaks to it\n", argv[0]);
    return CUZK_USAGE;
}
#define DAEMON_COMMAND(command) command_missing
#endif

static const struct verb {
    const char *name, *what;
    command_fn *run;
} verbs[] = {
    {"setup", "make a development key from a trapdoor label", command_setup},
    {"prove", "make a proof and verify it", command_prove},
    {"verify", "verify a proof", command_verify},
    {"check", "evaluate every constraint; name the first one that fails", command_check},
    {"circuit", "counts, densities, file names and digests of a circuit", command_circuit},
    {"plan", "the memory that a proof or a set-up takes", command_plan},
    {"key", "read, check or prepare a proving key", command_key},
    {"bench", "time a whole job on this machine, from nothing", command_bench},
    {"sample", "make up a sector to prove", command_sample},
    {"inspect", "say what a file is", command_inspect},
    {"info", "version, processor, threads, back ends", command_info},
    {"daemon", "serve proofs over gRPC and HTTP", DAEMON_COMMAND(command_daemon)},
    {"jobs", "a daemon's jobs", DAEMON_COMMAND(command_jobs)},
    {"status", "what a daemon does and holds", DAEMON_COMMAND(command_status)},
    {"cancel", "end one of a daemon's jobs", DAEMON_COMMAND(command_cancel)},
    {"clear", "take a payload back that killed its workers", DAEMON_COMMAND(command_clear)},
    {"top", "a daemon's memory, jobs and queue, live", DAEMON_COMMAND(command_top)},
    {"trace", "the timeline of one of a daemon's jobs", DAEMON_COMMAND(command_trace)},
    {"worker", NULL, DAEMON_COMMAND(command_worker)}, /* not in the menu */
};

static void print_help(FILE *out)
{
    fputs("Usage: cuzk VERB [OPTION...]\n\n"
          "Groth16 proofs for Filecoin, inside the memory they were given.\n\nVerbs:\n",
          out);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (verbs[i].what)
            fprintf(out, "  %-10s %s\n", verbs[i].name, verbs[i].what);
    fputs("\n`cuzk VERB --help` describes one.\n\n"
          "Exit codes: 0 done; 1 proof invalid or check failed; 2 wrong usage; 3 bad input;\n"
          "4 does not fit in the memory allowed; 5 device failed; 6 input/output failed;\n"
          "7 cancelled; 70 our own fault.\n",
          out);
}

int cli_fail(enum cuzk_status status, const struct cuzk_error *err)
{
    fprintf(stderr, "cuzk: %s\n", err && err->message[0] ? err->message : cuzk_status_name(status));
    return (int)status;
}

int cli_answer(struct report *report, bool json)
{
    struct cuzk_error err = {0};
    enum cuzk_status st =
        json ? report_print_json(report, stdout, &err) : report_print_text(report, stdout, &err);

    report_done(report);
    return st == CUZK_OK ? 0 : cli_fail(st, &err);
}

int cli_printed(void)
{
    struct cuzk_error err;

    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    return cli_fail(error_set(&err, CUZK_IO, "cannot write the answer"), &err);
}

/* What people's scripts call: links to this program. */
static const struct verb links[] = {
    {"cuzk-daemon", "", DAEMON_COMMAND(command_daemon)},
    {"cuzk-bench", "", DAEMON_COMMAND(command_bench_tool)},
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

int main(int argc, char **argv)
{
    char name[64];

    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        if (argc > 0 && strcmp(base_name(argv[0]), links[i].name) == 0)
            return links[i].run(argc, argv);
    if (argc < 2) {
        print_help(stderr);
        return CUZK_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0 ||
        strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("cuzk " CUZK_VERSION);
        return 0;
    }
    /* The original daemon is started as `cuzk -c FILE`. */
    if (argv[1][0] == '-')
        return DAEMON_COMMAND(command_daemon)(argc, argv);
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (strcmp(argv[1], verbs[i].name) == 0) {
            snprintf(name, sizeof name, "cuzk %s", verbs[i].name);
            argv[1] = name;
            return verbs[i].run(argc - 1, argv + 1);
        }
    fprintf(stderr, "cuzk: no verb '%s'; `cuzk --help` lists them\n", argv[1]);
    return CUZK_USAGE;
}
