/* cuzk cancel: ends a job that waits or runs. */
#include "cli/daemon_cli.h"

int command_cancel(int argc, char **argv)
{
    struct job_arguments a = {0};
    struct cuzk_error err = {0};
    struct client *client = NULL;
    bool was_running = false;
    enum cuzk_status st;
    int code = cli_parse_job("Cancels a job; returns when it has ended.", argc, argv, &a);

    if (code)
        return code;
    st = proving_open(&client, &a.place, &err);
    if (st == CUZK_OK)
        st = proving_cancel(client, a.id, &was_running, &err);
    client_close(client);
    if (st != CUZK_OK)
        return cli_fail(st, &err);
    puts(was_running ? "cancelled; it was running" : "it was not running");
    return 0;
}
