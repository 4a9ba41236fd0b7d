/* What an operator can set. Keys, types, defaults and rules are those of the table in config_key.c,
 * which is also what docs and `--print-config` are made of.
 *
 *     defaults < file (TOML) < environment (CUZK_<SECTION>_<KEY>) < flags
 *
 * Nothing is guessed: an unknown key, a value of the wrong type or an unreadable size is an error
 * that names file, line and, for a key, the nearest known one. Keys of the original daemon that
 * have no effect here are accepted with one warning each. */
#ifndef DAEMON_CONFIG_H
#define DAEMON_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

#define CONFIG_AUTO UINT64_MAX /* a size that is "auto": found out at the start */

enum {
    CONFIG_PATH_MAX = 1024,
    CONFIG_TEXT_MAX = 256,
    CONFIG_LIST_MAX = 16,
    CONFIG_N_KEYS_MAX = 64,
    CONFIG_WARNINGS_MAX = 32,
};

/* A TOML array of texts, or a single text. Environment and flags: separated by commas. */
struct config_list {
    size_t n;
    char item[CONFIG_LIST_MAX][CONFIG_TEXT_MAX];
};

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };
enum log_format { LOG_FORMAT_TEXT, LOG_FORMAT_JSON };

struct config_daemon {
    struct config_list listen;        /* gRPC; see daemon/address.h */
    struct config_list status_listen; /* HTTP; may be empty */
    bool allow_insecure;
    uint32_t socket_mode;               /* of unix sockets */
    char socket_group[CONFIG_TEXT_MAX]; /* "": unchanged */
    char tls_cert[CONFIG_PATH_MAX], tls_key[CONFIG_PATH_MAX], tls_client_ca[CONFIG_PATH_MAX];
    char token_file[CONFIG_PATH_MAX];      /* bearer token for HTTP; "": none is asked for */
    uint64_t max_message;                  /* bytes */
    uint64_t max_connections, max_streams; /* in all; of one connection */
    uint64_t drain_timeout_ms;
};

struct config_srs {
    char param_cache[CONFIG_PATH_MAX];
    bool allow_dev_keys;
};

struct config_memory {
    uint64_t total_budget, safety_margin; /* bytes; the margin counts only with "auto" */
    uint64_t eviction_min_idle_ms;
    uint64_t device_budget, urgent_reserve; /* bytes */
};

struct config_gpus {
    struct config_list devices; /* see below */
    uint64_t gpu_threads;       /* of a worker's pool; 0: pool_processors() */
};

struct config_scheduler {
    uint64_t max_batch_size, max_batch_wait_ms;
};

struct config_synthesis {
    uint64_t threads; /* witness threads; 0: pool_processors() */
};

struct config_journal {
    char path[CONFIG_PATH_MAX];
    uint64_t retain_ms, max_attempts, disk_reserve; /* disk_reserve in bytes */
};

struct config_logging {
    enum log_level level;
    enum log_format format;
};

/* Plain data, without pointers: may be copied. */
struct config {
    struct config_daemon daemon;
    struct config_srs srs;
    struct config_memory memory;
    struct config_gpus gpus;
    struct config_scheduler scheduler;
    struct config_synthesis synthesis;
    struct config_journal journal;
    struct config_logging logging;

    /* Where each value comes from, by its place in the table; 0: the default. */
    uint32_t origin[CONFIG_N_KEYS_MAX];
    /* What to tell the operator: keys without effect. */
    size_t n_warnings;
    char warning[CONFIG_WARNINGS_MAX][CONFIG_TEXT_MAX];
};

void config_defaults(struct config *config);

/* One step of the precedence each. A list replaces the list before it. */
MUST_CHECK enum cuzk_status config_read_file(struct config *config, const char *path,
                                             struct cuzk_error *err);
MUST_CHECK enum cuzk_status config_read_text(struct config *config, const char *text, size_t n,
                                             const char *name, struct cuzk_error *err);
/* NAME=VALUE texts, NULL at the end: those named CUZK_<SECTION>_... of a known section. */
MUST_CHECK enum cuzk_status config_read_environment(struct config *config, char *const *environment,
                                                    struct cuzk_error *err);
/* flag is for the sentence: "--log-level". */
MUST_CHECK enum cuzk_status config_set(struct config *config, const char *key, const char *value,
                                       const char *flag, struct cuzk_error *err);

/* Cards by their ordinals or UUIDs; or all that there are (empty, as in the original, or "auto");
 * or the processor alone ("none"). */
bool config_devices_named(const struct config_list *devices);
bool config_devices_none(const struct config_list *devices);

/* What no single key can tell: addresses, TLS files that belong together, listening to the world
 * without TLS. Looks at no file. */
MUST_CHECK enum cuzk_status config_check(const struct config *config, struct cuzk_error *err);

/* The whole configuration as TOML that reads back to the same, each line with its origin. `name` is
 * the file's, for the origins; NULL when there was none. */
void config_print(const struct config *config, FILE *out, const char *name);

/* Takes from `fresh` what may change while the daemon runs. Each other key that differs is given to
 * `kept` (may be NULL), to be told: it needs a restart. */
void config_reload(struct config *config, const struct config *fresh,
                   void (*kept)(void *ctx, const char *key), void *ctx);

#endif
