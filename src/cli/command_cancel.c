/* cuzk cancel: ends a job that waits or runs. */
#include "cli/daemon_cli.h"

struct arguments {
    const char *address, *id;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_usage(state);
        a->id = arg;
        return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "expected the id of a job"); return 0;
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->address; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

int command_cancel(int argc, char **argv)
{
    static const struct argp_child children[] = {{&cli_address_argp, 0, 0, 0}, {0}};
    static const struct argp argp = {
        0, parse, "ID", "Cancels a job; returns when it has ended.", children, 0, 0};
    struct arguments a = {0};
    struct cuzk_error err = {0};
    struct client *client = NULL;
    bool was_running = false;
    enum cuzk_status st;
    int code = cli_parse(&argp, argc, argv, &a);

    if (code)
        return code;
    st = proving_open(&client, a.address, &err);
    if (st == CUZK_OK)
        st = proving_cancel(client, a.id, &was_running, &err);
    client_close(client);
    if (st != CUZK_OK)
        return cli_fail(st, &err);
    puts(was_running ? "cancelled; it was running" : "it was not running");
    return 0;
}
