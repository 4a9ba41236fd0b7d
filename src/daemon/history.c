#include "daemon/history.h"

#include <string.h>

#include "base/clock.h"

static void take_sample(void *ctx)
{
    struct history *history = ctx;
    struct history_sample *sample = &history->samples[history->next];
    struct jobs_status s;

    jobs_status(history->jobs, &s);
    *sample = (struct history_sample){
        .time = clock_unix_seconds(), .reserved = s.reserved_bytes, .metered = s.metered_bytes};
    memcpy(sample->class_bytes, s.class_bytes, sizeof sample->class_bytes);
    for (enum job_kind kind = JOB_POREP; kind < JOB_N_KINDS; kind++) {
        sample->waiting += s.kind[kind].waiting;
        sample->running += s.kind[kind].running;
        sample->done += s.kind[kind].done;
        sample->failed += s.kind[kind].failed;
    }
    history->next = (history->next + 1) % HISTORY_SAMPLES;
    history->n += history->n < HISTORY_SAMPLES;
    loop_timer_set(history->loop, &history->timer, loop_now() + HISTORY_SECONDS * LOOP_SECOND);
}

void history_start(struct history *history, struct loop *loop, struct jobs *jobs)
{
    memset(history, 0, sizeof *history);
    history->loop = loop;
    history->jobs = jobs;
    history->timer = (struct loop_timer){.f = take_sample, .ctx = history};
    take_sample(history);
}

void history_stop(struct history *history)
{
    loop_timer_cancel(&history->timer);
}

/* The i-th oldest. */
static const struct history_sample *sample_at(const struct history *history, size_t i)
{
    return &history->samples[(history->next + HISTORY_SAMPLES - history->n + i) % HISTORY_SAMPLES];
}

static uint64_t time_ms(const struct history_sample *sample)
{
    return (uint64_t)(sample->time * 1e3);
}

enum column { TIME, RESERVED, METERED, WAITING, RUNNING, DONE, FAILED, CLASSES };

static uint64_t value(const struct history_sample *sample, int column)
{
    switch (column) {
    case TIME: return time_ms(sample);
    case RESERVED: return sample->reserved;
    case METERED: return sample->metered;
    case WAITING: return sample->waiting;
    case RUNNING: return sample->running;
    case DONE: return sample->done;
    case FAILED: return sample->failed;
    default: return sample->class_bytes[column - CLASSES];
    }
}

void history_report(struct report *report, const struct history *history, uint64_t since_ms)
{
    static const char *const names[] = {"time_ms", "reserved", "metered", "waiting",
                                        "running", "done",     "failed"};
    struct jobs_status s;
    size_t first = 0;

    jobs_status(history->jobs, &s);
    report_number(report, "budget", s.budget_bytes);
    while (first < history->n && time_ms(sample_at(history, first)) <= since_ms)
        first++;
    for (int column = 0; column < CLASSES + MEM_N_CLASSES; column++) {
        report_list(report, column < CLASSES ? names[column]
                                             : mem_class_name((enum mem_class)(column - CLASSES)));
        for (size_t i = first; i < history->n; i++)
            report_number(report, NULL, value(sample_at(history, i), column));
        report_end(report);
    }
}
