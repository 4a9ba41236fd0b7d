/* cuzk trace: a job's timeline, for ui.perfetto.dev, chrome://tracing or speedscope. */
#include <string.h>

#include "base/file.h"
#include "cli/daemon_cli.h"

struct arguments {
    struct job_arguments job;
    const char *out;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;

    switch (key) {
    case 'o': a->out = arg; return 0;
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->job; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static enum cuzk_status write_file(const char *path, const struct text *text,
                                   struct cuzk_error *err)
{
    struct out_file out = {0};
    enum cuzk_status st;

    TRY(out_open(&out, path, err));
    st = out_write(&out, text->bytes, text->n, err);
    if (st == CUZK_OK)
        return out_commit(&out, err);
    out_abort(&out);
    return st;
}

int command_trace(int argc, char **argv)
{
    static const struct argp_option options[] = {{"output", 'o', "FILE", 0, "default: stdout", 0},
                                                 {0}};
    static const struct argp_child children[] = {{&cli_job_argp, 0, 0, 0}, {0}};
    static const struct argp argp = {options,  parse, "ID", "A job's timeline as a Chrome trace.",
                                     children, 0,     0};
    struct arguments a = {0};
    struct cuzk_error err = {0};
    struct client *client = NULL;
    struct text text = {0};
    enum cuzk_status st;
    int code = cli_parse(&argp, argc, argv, &a);

    if (code)
        return code;
    st = proving_open(&client, &a.job.place, &err);
    if (st == CUZK_OK)
        st = proving_trace(client, a.job.id, &text, &err);
    client_close(client);
    if (st == CUZK_OK && a.out)
        st = write_file(a.out, &text, &err);
    else if (st == CUZK_OK)
        fwrite(text.bytes, 1, text.n, stdout);
    text_free(&text);
    return st == CUZK_OK ? cli_printed() : cli_fail(st, &err);
}
