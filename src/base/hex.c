#include "base/hex.h"

#include <string.h>

void hex_encode(char *text, const void *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *b = bytes;

    for (size_t i = 0; i < n; i++) {
        text[2 * i] = digits[b[i] >> 4];
        text[2 * i + 1] = digits[b[i] & 15];
    }
    text[2 * n] = 0;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool hex_decode(void *bytes, size_t n, const char *text)
{
    uint8_t *b = bytes;

    if (text[0] == '0' && text[1] == 'x')
        text += 2;
    if (strlen(text) != 2 * n)
        return false;
    for (size_t i = 0; i < n; i++) {
        int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        b[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}
