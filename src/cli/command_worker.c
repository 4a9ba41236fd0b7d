/* `cuzk worker`: what the daemon runs for each device. Not for people: it speaks over a socket that
 * it was born with. */
#include "cli/daemon_cli.h"
#include "daemon/worker.h"

#include <stdio.h>

int command_worker(int argc, char **argv)
{
    struct worker_options options;

    if (!worker_options_parse(&options, argv + 1, argc - 1)) {
        fputs("cuzk worker: the daemon starts it\n", stderr);
        return CUZK_USAGE;
    }
    return worker_run(&options);
}
