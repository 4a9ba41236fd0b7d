/* Sizes and durations as people write them in options and configuration files. */
#ifndef BASE_QUANTITY_H
#define BASE_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A decimal number and one of "", KiB MiB GiB TiB KB MB GB TB: bytes. No sign, no fraction, no
 * space; false for anything else and for what does not fit into 64 bits. */
bool quantity_size(const char *text, uint64_t *ret_bytes);

/* A decimal number and one of ms s m h d: milliseconds. A bare number is not a duration. */
bool quantity_duration(const char *text, uint64_t *ret_ms);

/* The inverse: exactly this number, in the largest unit that has it as a whole one. */
#define QUANTITY_TEXT 24
void quantity_size_text(char text[QUANTITY_TEXT], uint64_t bytes);
void quantity_duration_text(char text[QUANTITY_TEXT], uint64_t ms);

/* For people: three digits and a binary unit, such as "41.7 GiB". */
void quantity_size_rounded(char text[QUANTITY_TEXT], uint64_t bytes);

#endif
