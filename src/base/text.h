/* A text that is printed into memory. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdio.h>

#include "base/error.h"

struct text {
    FILE *stream; /* write here; NULL after text_end */
    char *bytes;  /* after text_end: terminated */
    size_t n;     /* without the terminator */
};

MUST_CHECK enum cuzk_status text_begin(struct text *text, struct cuzk_error *err);
/* CUZK_NO_MEMORY: a write failed. The text is freed then. */
MUST_CHECK enum cuzk_status text_end(struct text *text, struct cuzk_error *err);
void text_free(struct text *text); /* accepts a zeroed or a freed one, and one that was not ended */

#endif
