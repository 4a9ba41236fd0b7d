#include "cli/bench_plot.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/quantity.h"

enum { WIDTH = 1000, LEFT = 90, RIGHT = 20, TOP = 40, MEMORY_HEIGHT = 240, GAP = 50, ROW = 16 };

struct plot {
    FILE *out;
    const struct bench_sample *samples;
    const struct bench_span *spans;
    size_t n_samples, n_spans;
    double seconds, bytes; /* the ends of both axes */
};

static double x_of(const struct plot *p, double time)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * time / p->seconds;
}

static double y_of(const struct plot *p, double bytes)
{
    return TOP + MEMORY_HEIGHT * (1 - bytes / p->bytes);
}

/* The step of 1, 2 or 5 times a power of `base` that gives about six marks. */
static double step_for(double span)
{
    double raw = span / 6, power = pow(10, floor(log10(raw)));

    return raw <= power       ? power
           : raw <= 2 * power ? 2 * power
           : raw <= 5 * power ? 5 * power
                              : 10 * power;
}

static void draw_axes(const struct plot *p, double bottom)
{
    double gib = 1 << 30, step = step_for(p->bytes / gib) * gib;
    char text[QUANTITY_TEXT];

    for (double bytes = 0; bytes <= p->bytes; bytes += step) {
        quantity_size_rounded(text, (uint64_t)bytes);
        fprintf(p->out,
                "<line class='grid' x1='%d' x2='%d' y1='%.1f' y2='%.1f'/>"
                "<text x='%d' y='%.1f' text-anchor='end'>%s</text>\n",
                LEFT, WIDTH - RIGHT, y_of(p, bytes), y_of(p, bytes), LEFT - 8, y_of(p, bytes) + 4,
                text);
    }
    step = step_for(p->seconds);
    for (double time = 0; time <= p->seconds; time += step)
        fprintf(p->out,
                "<line class='grid' x1='%.1f' x2='%.1f' y1='%d' y2='%.1f'/>"
                "<text x='%.1f' y='%.1f' text-anchor='middle'>%g s</text>\n",
                x_of(p, time), x_of(p, time), TOP, bottom, x_of(p, time), bottom + 16, time);
}

static void draw_line(const struct plot *p, const char *class, size_t offset)
{
    fprintf(p->out, "<polyline class='%s' points='", class);
    for (size_t i = 0; i < p->n_samples; i++)
        fprintf(p->out, "%.1f,%.1f ", x_of(p, p->samples[i].time),
                y_of(p, *(const double *)(const void *)((const char *)&p->samples[i] + offset)));
    fputs("'/>\n", p->out);
}

static const char *stage_class(const char *stage)
{
    return strstr(stage, "witness")                                ? "witness"
           : strstr(stage, "quotient") || strstr(stage, "rows of") ? "quotient"
           : strstr(stage, "sum")                                  ? "sum"
                                                                   : "other";
}

static void print_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<' || *text == '&' || *text == '>')
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
}

static void draw_spans(const struct plot *p, unsigned n_jobs, double top)
{
    for (unsigned job = 0; job < n_jobs; job++)
        fprintf(p->out, "<text x='%d' y='%.1f' text-anchor='end'>proof %u</text>\n", LEFT - 8,
                top + job * ROW + 11, job + 1);
    for (size_t i = 0; i < p->n_spans; i++) {
        const struct bench_span *span = &p->spans[i];

        fprintf(p->out, "<rect class='%s' x='%.1f' y='%.1f' width='%.1f' height='%d'><title>",
                stage_class(span->stage), x_of(p, span->begin), top + span->job * ROW + 2,
                fmax(x_of(p, span->end) - x_of(p, span->begin), 0.5), ROW - 4);
        print_escaped(p->out, span->stage);
        fprintf(p->out, ", %.1f s</title></rect>\n", span->end - span->begin);
    }
}

static void draw(const struct plot *p, unsigned n_jobs)
{
    static const char style[] =
        "text{font:12px sans-serif;fill:#555}.grid{stroke:#ddd}polyline{fill:none;stroke-width:2}"
        ".metered{stroke:#2563eb}.reserved{stroke:#888;stroke-dasharray:6 4}.budget{stroke:#c02626}"
        ".witness{fill:#0891b2}.quotient{fill:#7c3aed}.sum{fill:#2563eb}.other{fill:#94a3b8}"
        ".title{font-weight:bold;fill:#222}";
    double top = TOP + MEMORY_HEIGHT + GAP, height = top + n_jobs * ROW + 40;

    fprintf(
        p->out,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %.0f' width='%d' height='%.0f'>\n"
        "<style>%s</style><rect width='100%%' height='100%%' fill='white'/>\n"
        "<text class='title' x='%d' y='22'>memory of the daemon: as the kernel counts it (blue), "
        "reserved "
        "(dashed), budget (red)</text>\n",
        WIDTH, height, WIDTH, height, style, LEFT);
    draw_axes(p, top + n_jobs * ROW);
    draw_line(p, "budget", offsetof(struct bench_sample, budget));
    draw_line(p, "reserved", offsetof(struct bench_sample, reserved));
    draw_line(p, "metered", offsetof(struct bench_sample, metered));
    fprintf(p->out,
            "<text class='title' x='%d' y='%.0f'>stages: witness (cyan), quotient (violet), sums "
            "(blue), "
            "others (grey)</text>\n",
            LEFT, top - 10);
    draw_spans(p, n_jobs, top);
    fputs("</svg>\n", p->out);
}

enum cuzk_status bench_plot_write(const char *path, const struct grow *samples,
                                  const struct grow *spans, unsigned n_jobs, double seconds,
                                  struct cuzk_error *err)
{
    struct out_file out = {0};
    struct plot plot = {
        .samples = (const struct bench_sample *)(const void *)samples->region.base,
        .spans = (const struct bench_span *)(const void *)spans->region.base,
        .n_samples = samples->used / sizeof *plot.samples,
        .n_spans = spans->used / sizeof *plot.spans,
        .seconds = fmax(seconds, 0.1),
        .bytes = 1,
    };

    for (size_t i = 0; i < plot.n_samples; i++)
        plot.bytes = fmax(plot.bytes, 1.05 * fmax(plot.samples[i].metered, plot.samples[i].budget));
    TRY(out_open(&out, path, err));
    plot.out = out.stream;
    draw(&plot, n_jobs);
    return out_commit(&out, err);
}
