/* cuzk clear: takes the payload of a job back that has killed its workers. */
#include "cli/daemon_cli.h"

int command_clear(int argc, char **argv)
{
    static const struct argp_child children[] = {{&cli_job_argp, 0, 0, 0}, {0}};
    static const struct argp argp = {
        0,        0,
        "ID",     "Forgets that a job's payload killed workers: it may be submitted again.",
        children, 0,
        0};
    struct job_arguments a = {0};
    struct cuzk_error err = {0};
    struct client *client = NULL;
    enum cuzk_status st;
    int code = cli_parse(&argp, argc, argv, &a);

    if (code)
        return code;
    st = proving_open(&client, &a.place, &err);
    if (st == CUZK_OK)
        st = proving_clear(client, a.id, &err);
    client_close(client);
    if (st != CUZK_OK)
        return cli_fail(st, &err);
    puts("cleared");
    return 0;
}
