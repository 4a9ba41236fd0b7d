/* `cuzk daemon`, from its arguments to its end. */
#ifndef DAEMON_DAEMON_H
#define DAEMON_DAEMON_H

#include "daemon/config.h"

/* Where the configuration comes from; kept for reloads. */
struct daemon_arguments {
    const char *file;   /* NULL: DAEMON_CONFIG_FILE if it is there, else none */
    const char *listen; /* flags; NULL: not given */
    const char *log_level;
};
#define DAEMON_CONFIG_FILE "/data/zk/cuzk.toml" /* as the original */

/* Defaults, file, environment, flags; checked. *ret_file (may be NULL) is the file that was read,
 * or NULL. */
MUST_CHECK enum cuzk_status daemon_configure(struct config *config,
                                             const struct daemon_arguments *arguments,
                                             const char **ret_file, struct cuzk_error *err);

/* Serves until SIGTERM or SIGINT: then nothing new begins, running jobs may end within
 * daemon.drain_timeout, and what is left is taken up at the next start. A second signal does not
 * wait. SIGHUP reads the configuration again. `config` changes at reloads. One a process. */
MUST_CHECK enum cuzk_status
daemon_run(struct config *config, const struct daemon_arguments *arguments, struct cuzk_error *err);

#endif
