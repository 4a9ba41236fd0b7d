/* Bytes as lower-case hexadecimal text. */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* text has room for 2n + 1 characters. */
void hex_encode(char *text, const void *bytes, size_t n);
/* Exactly 2n hexadecimal digits of either case, "0x" in front allowed; false otherwise. */
bool hex_decode(void *bytes, size_t n, const char *text);

#endif
