/* cuzk daemon: reads the configuration and serves. */
#include <stdlib.h>
#include <string.h>

#include "cli/daemon_cli.h"
#include "daemon/daemon.h"

struct arguments {
    struct daemon_arguments daemon;
    bool check, print;
};

enum { KEY_LOG_LEVEL = 0x500, KEY_CHECK, KEY_PRINT };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case 'c': a->daemon.file = arg; return 0;
    case 'l': a->daemon.listen = arg; return 0;
    case KEY_LOG_LEVEL: a->daemon.log_level = arg; return 0;
    case KEY_CHECK: a->check = true; return 0;
    case KEY_PRINT: a->print = true; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int command_daemon(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"config", 'c', "FILE", 0, "configuration; default " DAEMON_CONFIG_FILE " if it is there",
         0},
        {"listen", 'l', "ADDR", 0, "gRPC: unix://PATH or HOST:PORT, or several with commas", 0},
        {"log-level", KEY_LOG_LEVEL, "LEVEL", 0, "error, warn, info or debug", 0},
        {"check-config", KEY_CHECK, 0, 0, "read the configuration, say what is wrong with it, end",
         0},
        {"print-config", KEY_PRINT, 0, 0, "the same, and print what is in force and from where", 0},
        {0},
    };
    static const struct argp argp = {
        options, parse,
        0,       "Accepts proofs over gRPC (and shows them over HTTP), inside its memory budget.",
        0,       0,
        0};
    static struct config config; /* large */
    struct arguments arguments = {0};
    struct cuzk_error err = {0};
    enum cuzk_status st;
    const char *file;
    int code = cli_parse(&argp, argc, argv, &arguments);

    if (code)
        return code;
    st = daemon_configure(&config, &arguments.daemon, &file, &err);
    if (st != CUZK_OK)
        return cli_fail(st, &err);
    if (arguments.print)
        config_print(&config, stdout, file);
    if (arguments.check || arguments.print) {
        for (size_t i = 0; i < config.n_warnings; i++)
            fprintf(stderr, "cuzk: %s\n", config.warning[i]);
        return 0;
    }
    st = daemon_run(&config, &arguments.daemon, &err);
    return st == CUZK_OK ? 0 : cli_fail(st, &err);
}
