/* cuzk top: memory, jobs and queue on a terminal, once a second. `q` ends it. */
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/quantity.h"
#include "cli/daemon_cli.h"

/* ---- one screen ------------------------------------------------------------------------------ */

struct screen {
    unsigned columns, rows, used; /* lines printed */
    bool plain;                   /* no colours, no limit of lines */
    double now;
};

static const char *colour(const struct screen *screen, const char *code)
{
    return screen->plain ? "" : code;
}

/* Classes of memory, one letter each, then what is reserved beyond them, then what is free. */
static void print_bar(const struct screen *screen, const char *metrics)
{
    static const char *const colours[] = {"\033[44m", "\033[45m", "\033[41m",
                                          "\033[46m", "\033[43m", "\033[42m"};
    unsigned width = screen->columns > 30 ? screen->columns - 12 : 20, used = 0;
    double budget = proving_metric(metrics, "cuzk_memory_budget_bytes"), taken = 0;
    double reserved = proving_metric(metrics, "cuzk_memory_reserved_bytes");
    char name[64], text[QUANTITY_TEXT];

    fputs("memory   [", stdout);
    for (enum mem_class c = 0; c < MEM_N_CLASSES; c++) {
        snprintf(name, sizeof name, "cuzk_memory_used_bytes{class=\"%s\"}", mem_class_name(c));
        taken += proving_metric(metrics, name);
        fputs(colour(screen, colours[c]), stdout);
        for (; used < width && budget > 0 && used < (unsigned)(taken / budget * width); used++)
            putchar(mem_class_name(c)[0]);
        fputs(colour(screen, "\033[0m"), stdout);
    }
    for (; used < width && budget > 0 && used < (unsigned)(reserved / budget * width); used++)
        putchar('/');
    for (; used < width; used++)
        putchar(' ');
    puts("]");
    quantity_size_rounded(text, (uint64_t)reserved);
    printf("         %s reserved of ", text);
    quantity_size_rounded(text, (uint64_t)budget);
    printf("%s; the kernel counts ", text);
    quantity_size_rounded(text, (uint64_t)proving_metric(metrics, "cuzk_memory_metered_bytes"));
    printf("%s\n\n", text);
}

static void print_job(void *ctx, const struct proving_job *job)
{
    struct screen *screen = ctx;

    if (!screen->plain && ++screen->used > screen->rows)
        return;
    fputs(colour(screen, job->state == JOB_RUNNING  ? "\033[32m"
                         : job->state == JOB_FAILED ? "\033[31m"
                         : job->state == JOB_DONE   ? "\033[2m"
                                                    : ""),
          stdout);
    cli_print_job(job, screen->now);
    fputs(colour(screen, "\033[0m"), stdout);
}

static enum cuzk_status print_screen(struct client *client, bool plain, struct cuzk_error *err)
{
    struct winsize size = {.ws_col = 100, .ws_row = 40};
    struct screen screen = {.plain = plain, .now = clock_unix_seconds()};
    struct text metrics;
    enum cuzk_status st;

    if (!plain)
        (void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    screen.columns = size.ws_col;
    screen.rows = size.ws_row > 8 ? size.ws_row - 7u : 1;
    TRY(proving_metrics(client, &metrics, err));
    printf("cuzk     %.0f running, %.0f waiting, %.0f done, %.0f failed; up %.0f s\n",
           proving_metric(metrics.bytes, "cuzk_running_jobs"),
           proving_metric(metrics.bytes, "cuzk_queue_depth"),
           proving_metric(metrics.bytes, "cuzk_proofs_completed_total"),
           proving_metric(metrics.bytes, "cuzk_proofs_failed_total"),
           proving_metric(metrics.bytes, "cuzk_uptime_seconds"));
    print_bar(&screen, metrics.bytes);
    text_free(&metrics);
    cli_print_job_titles();
    st = proving_list(client, print_job, &screen, err);
    fflush(stdout);
    return st;
}

/* ---- the terminal ---------------------------------------------------------------------------- */

static volatile sig_atomic_t ended;

static void end(int signal)
{
    (void)signal;
    ended = 1;
}

/* Waits a second, or for a key; true: go on. */
static bool wait_for_key(void)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    char key;

    return !ended && !(poll(&in, 1, 1000) > 0 && (read(STDIN_FILENO, &key, 1) <= 0 || key == 'q'));
}

static enum cuzk_status show(struct client *client, struct cuzk_error *err)
{
    struct termios before, raw;
    enum cuzk_status st;

    if (tcgetattr(STDIN_FILENO, &before) != 0)
        return error_set(err, CUZK_USAGE, "no terminal; see --once");
    raw = before;
    raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    signal(SIGINT, end);
    signal(SIGTERM, end);
    fputs("\033[?1049h\033[?7l", stdout); /* the other screen; long lines are cut */
    do {
        fputs("\033[2J\033[H", stdout);
        st = print_screen(client, false, err);
    } while (st == CUZK_OK && wait_for_key());
    fputs("\033[?7h\033[?1049l", stdout);
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
    return st;
}

int command_top(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"once", '1', 0, 0, "print once, without colours (as when stdout is no terminal)", 0}, {0}};
    struct switch_arguments a = {0};
    struct cuzk_error err = {0};
    struct client *client = NULL;
    enum cuzk_status st;
    int code = cli_parse_switch(options, "A daemon's memory, jobs and queue, live; q ends it.",
                                argc, argv, &a);

    if (code)
        return code;
    st = proving_open(&client, &a.place, &err);
    if (st == CUZK_OK)
        st = a.on || !isatty(STDOUT_FILENO) ? print_screen(client, true, &err) : show(client, &err);
    client_close(client);
    return st == CUZK_OK ? cli_printed() : cli_fail(st, &err);
}
