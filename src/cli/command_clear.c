/* cuzk clear: takes the payload of a job back that has killed its workers. */
#include "cli/daemon_cli.h"

int command_clear(int argc, char **argv)
{
    struct job_arguments a = {0};
    struct cuzk_error err = {0};
    struct client *client = NULL;
    enum cuzk_status st;
    int code = cli_parse_job(
        "Forgets that a job's payload killed workers: it may be submitted again.", argc, argv, &a);

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
