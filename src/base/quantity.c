#include "base/quantity.h"

#include <stdio.h>
#include <string.h>

struct unit {
    const char *suffix;
    uint64_t factor;
};

static const struct unit size_units[] = {
    {"", 1},
    {"KB", 1000},
    {"MB", 1000000},
    {"GB", 1000000000},
    {"TB", 1000000000000},
    {"KiB", (uint64_t)1 << 10},
    {"MiB", (uint64_t)1 << 20},
    {"GiB", (uint64_t)1 << 30},
    {"TiB", (uint64_t)1 << 40},
};

static const struct unit duration_units[] = {
    {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000},
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static bool parse(const struct unit *units, size_t n_units, const char *text, uint64_t *ret)
{
    uint64_t value = 0;
    const char *p = text;

    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
            return false;
    if (p == text)
        return false;
    for (size_t i = 0; i < n_units; i++)
        if (strcmp(p, units[i].suffix) == 0 &&
            !__builtin_mul_overflow(value, units[i].factor, &value)) {
            *ret = value;
            return true;
        }
    return false;
}

bool quantity_size(const char *text, uint64_t *ret_bytes)
{
    return parse(size_units, LENGTH(size_units), text, ret_bytes);
}

bool quantity_duration(const char *text, uint64_t *ret_ms)
{
    return parse(duration_units, LENGTH(duration_units), text, ret_ms);
}

/* The unit that leaves the smallest whole number. */
static void print(char text[QUANTITY_TEXT], const struct unit *units, size_t n_units,
                  uint64_t value)
{
    const struct unit *best = &units[0];

    for (size_t i = 1; i < n_units && value > 0; i++)
        if (value % units[i].factor == 0 && units[i].factor > best->factor)
            best = &units[i];
    snprintf(text, QUANTITY_TEXT, "%lu%s", (unsigned long)(value / best->factor), best->suffix);
}

void quantity_size_text(char text[QUANTITY_TEXT], uint64_t bytes)
{
    print(text, size_units, LENGTH(size_units), bytes);
}

void quantity_duration_text(char text[QUANTITY_TEXT], uint64_t ms)
{
    print(text, duration_units, LENGTH(duration_units), ms);
}

void quantity_size_rounded(char text[QUANTITY_TEXT], uint64_t bytes)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    size_t unit = 0;

    while (value >= 999.5 && unit + 1 < LENGTH(names)) {
        value /= 1024;
        unit++;
    }
    snprintf(text, QUANTITY_TEXT, "%.*f %s",
             unit == 0 || value >= 99.95 ? 0
             : value >= 9.995            ? 1
                                         : 2,
             value, names[unit]);
}
