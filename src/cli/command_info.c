/* cuzk info: what this machine and this build can do. */
#include "cli/cli.h"
#include "engine/machine.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
    bool *json = state->input;

    (void)arg;
    if (key != 'j')
        return ARGP_ERR_UNKNOWN;
    *json = true;
    return 0;
}

int command_info(int argc, char **argv)
{
    static const struct argp_option options[] = {{"json", 'j', 0, 0, "answer in JSON", 0}, {0}};
    static const struct argp argp = {options, parse, 0, "Version, processor, threads, back ends.", 0, 0, 0};
    bool json = false;
    struct report report;
    int code = cli_parse(&argp, argc, argv, &json);

    if (code)
        return code;
    report_init(&report);
    machine_report(&report);
    return cli_answer(&report, json);
}
