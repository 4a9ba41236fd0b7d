/* `cuzk worker`: what the daemon runs for each device. Not for people: it speaks over a socket that
 * it was born with. */
#include "cli/daemon_cli.h"
#include "daemon/worker.h"

#include <stdio.h>
#include <string.h>

int command_worker(int argc, char **argv)
{
    struct worker_options options;

    if (argc == 2 && strcmp(argv[1], "cards") == 0)
        return worker_print_cards();
    if (!worker_options_parse(&options, argv + 1, argc - 1)) {
        fputs("cuzk worker: the daemon starts it\n", stderr);
        return CUZK_USAGE;
    }
    return worker_run(&options);
}
