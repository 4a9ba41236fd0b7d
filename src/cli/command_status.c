/* cuzk status: the daemon's own account of itself. */
#include "base/quantity.h"
#include "cli/daemon_cli.h"

static void print_size(const char *label, const char *metrics, const char *name)
{
    char text[QUANTITY_TEXT];

    quantity_size_rounded(text, (uint64_t)proving_metric(metrics, name));
    printf("%-24s %s\n", label, text);
}

static void print_metrics(const char *metrics)
{
    printf("%-24s %.0f s\n", "up", proving_metric(metrics, "cuzk_uptime_seconds"));
    printf("%-24s %.0f running, %.0f waiting, %.0f done, %.0f failed\n", "jobs",
           proving_metric(metrics, "cuzk_running_jobs"),
           proving_metric(metrics, "cuzk_queue_depth"),
           proving_metric(metrics, "cuzk_proofs_completed_total"),
           proving_metric(metrics, "cuzk_proofs_failed_total"));
    print_size("memory budget", metrics, "cuzk_memory_budget_bytes");
    print_size("memory reserved", metrics, "cuzk_memory_reserved_bytes");
    print_size("memory, by the kernel", metrics, "cuzk_memory_metered_bytes");
    print_size("at most so far", metrics, "cuzk_memory_metered_peak_bytes");
    print_size("payloads on disk", metrics, "cuzk_spool_bytes");
    print_size("disk free", metrics, "cuzk_disk_free_bytes");
}

int command_status(int argc, char **argv)
{
    static const struct argp_option options[] = {{"json", 'j', 0, 0, "all of it, in JSON", 0}, {0}};
    struct switch_arguments a = {0};
    struct cuzk_error err = {0};
    struct client *client = NULL;
    struct text text = {0};
    enum cuzk_status st;
    int code = cli_parse_switch(options, "What a daemon does and holds.", argc, argv, &a);

    if (code)
        return code;
    st = proving_open(&client, &a.place, &err);
    if (st == CUZK_OK)
        st = a.on ? proving_status(client, &text, &err) : proving_metrics(client, &text, &err);
    client_close(client);
    if (st != CUZK_OK)
        return cli_fail(st, &err);
    if (a.on)
        fputs(text.bytes, stdout);
    else
        print_metrics(text.bytes);
    text_free(&text);
    return cli_printed();
}
