#include "engine/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum kind { TEXT, NUMBER, REAL, BOOL, OBJECT, LIST, END };

struct event {
    enum kind kind;
    uint32_t bytes; /* of this event, key and text behind it included; a multiple of 8 */
    union {
        uint64_t number;
        double real;
    } value;
    char key[40];
    char text[]; /* TEXT only */
};

#define REPORT_BYTES_MAX ((size_t)16 << 20)

void report_init(struct report *report)
{
    report->failed = false;
    grow_init(&report->events, NULL, MEM_REQUEST, REPORT_BYTES_MAX);
}

void report_done(struct report *report)
{
    grow_done(&report->events);
}

static struct event *add(struct report *report, enum kind kind, const char *key, size_t text_bytes)
{
    size_t bytes = (sizeof(struct event) + text_bytes + 7) & ~(size_t)7;
    void *at;
    struct event *e;

    if (report->failed || grow_take(&report->events, bytes, &at, NULL) != CUZK_OK) {
        report->failed = true;
        return NULL;
    }
    e = at;
    memset(e, 0, bytes);
    e->kind = kind;
    e->bytes = (uint32_t)bytes;
    snprintf(e->key, sizeof e->key, "%s", key ? key : "");
    return e;
}

void report_text(struct report *report, const char *key, const char *format, ...)
{
    struct event *e;
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    e = n < 0 ? NULL : add(report, TEXT, key, (size_t)n + 1);
    if (!e)
        return;
    va_start(args, format);
    vsnprintf(e->text, (size_t)n + 1, format, args);
    va_end(args);
}

void report_number(struct report *report, const char *key, uint64_t value)
{
    struct event *e = add(report, NUMBER, key, 0);

    if (e)
        e->value.number = value;
}

void report_real(struct report *report, const char *key, double value)
{
    struct event *e = add(report, REAL, key, 0);

    if (e)
        e->value.real = value;
}

void report_bool(struct report *report, const char *key, bool value)
{
    struct event *e = add(report, BOOL, key, 0);

    if (e)
        e->value.number = value;
}

void report_object(struct report *report, const char *key)
{
    add(report, OBJECT, key, 0);
}

void report_list(struct report *report, const char *key)
{
    add(report, LIST, key, 0);
}

void report_end(struct report *report)
{
    add(report, END, NULL, 0);
}

/* ---- printing -------------------------------------------------------------------------------- */

#define DEPTH_MAX 16

static const struct event *next(const struct report *report, size_t *at)
{
    const struct event *e;

    if (*at >= report->events.used)
        return NULL;
    e = (const struct event *)(const void *)(report->events.region.base + *at);
    *at += e->bytes;
    return e;
}

static enum cuzk_status begin(const struct report *report, struct cuzk_error *err)
{
    if (report->failed)
        return error_set(err, CUZK_NO_MEMORY, "the report did not fit in memory");
    return CUZK_OK;
}

static enum cuzk_status finish(FILE *out, struct cuzk_error *err)
{
    if (fflush(out) != 0 || ferror(out))
        return error_set(err, CUZK_IO, "cannot write the report");
    return CUZK_OK;
}

/* 130278541 -> 130,278,541 */
static void print_grouped(FILE *out, uint64_t value)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, value);

    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            fputc(',', out);
        fputc(digits[i], out);
    }
}

static void print_value(FILE *out, const struct event *e)
{
    switch (e->kind) {
    case TEXT: fputs(e->text, out); break;
    case NUMBER: print_grouped(out, e->value.number); break;
    case REAL: fprintf(out, "%.4g", e->value.real); break;
    case BOOL: fputs(e->value.number ? "yes" : "no", out); break;
    case OBJECT:
    case LIST:
    case END: break;
    }
}

enum cuzk_status report_print_text(const struct report *report, FILE *out, struct cuzk_error *err)
{
    const struct event *e;
    size_t at = 0;
    int depth = 0;
    bool in_list[DEPTH_MAX] = {false};

    TRY(begin(report, err));
    while ((e = next(report, &at))) {
        if (e->kind == END) {
            depth -= depth > 0;
            continue;
        }
        fprintf(out, "%*s", 2 * depth, "");
        if (in_list[depth])
            fputs("- ", out);
        else
            fprintf(out, e->kind == OBJECT || e->kind == LIST ? "%s:" : "%-24s ", e->key);
        print_value(out, e);
        fputc('\n', out);
        if ((e->kind == OBJECT || e->kind == LIST) && depth + 1 < DEPTH_MAX)
            in_list[++depth] = e->kind == LIST;
    }
    return finish(out, err);
}

/* Bytes of the UTF-8 character that begins here (RFC 3629); 0: none does. */
static size_t utf8_length(const unsigned char *p)
{
    size_t n = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;

    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) || (*p == 0xf0 && p[1] < 0x90) ||
        (*p == 0xf4 && p[1] > 0x8f))
        return 0;
    return n;
}

/* Texts may hold anybody's bytes: what is no UTF-8 is written as the character of that number. */
static void print_json_string(FILE *out, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;

    fputc('"', out);
    while (*p) {
        size_t n = utf8_length(p);

        if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if (*p < 0x20 || n == 0)
            fprintf(out, "\\u%04x", *p);
        else
            fwrite(p, 1, n, out);
        p += n ? n : 1;
    }
    fputc('"', out);
}

static void print_json_value(FILE *out, const struct event *e)
{
    switch (e->kind) {
    case TEXT: print_json_string(out, e->text); break;
    case NUMBER: fprintf(out, "%" PRIu64, e->value.number); break;
    case REAL: fprintf(out, "%.6g", e->value.real); break;
    case BOOL: fputs(e->value.number ? "true" : "false", out); break;
    case OBJECT: fputc('{', out); break;
    case LIST: fputc('[', out); break;
    case END: break;
    }
}

enum cuzk_status report_print_json(const struct report *report, FILE *out, struct cuzk_error *err)
{
    const struct event *e;
    size_t at = 0;
    int depth = 0;
    bool in_list[DEPTH_MAX] = {false}, first = true;

    TRY(begin(report, err));
    fputc('{', out);
    while ((e = next(report, &at))) {
        if (e->kind == END) {
            fputc(in_list[depth] ? ']' : '}', out);
            depth -= depth > 0;
            first = false;
            continue;
        }
        fputs(first ? "\n" : ",\n", out);
        fprintf(out, "%*s", 2 * depth + 2, "");
        if (!in_list[depth]) {
            print_json_string(out, e->key);
            fputs(": ", out);
        }
        print_json_value(out, e);
        first = e->kind == OBJECT || e->kind == LIST;
        if (first && depth + 1 < DEPTH_MAX)
            in_list[++depth] = e->kind == LIST;
    }
    fputs("\n}\n", out);
    return finish(out, err);
}
