#include "base/text.h"

#include <stdlib.h>

enum cuzk_status text_begin(struct text *text, struct cuzk_error *err)
{
    *text = (struct text){0};
    text->stream = open_memstream(&text->bytes, &text->n);
    if (!text->stream)
        return error_set(err, CUZK_NO_MEMORY, "no memory for a text");
    return CUZK_OK;
}

enum cuzk_status text_end(struct text *text, struct cuzk_error *err)
{
    int failed = ferror(text->stream);

    failed |= fclose(text->stream);
    text->stream = NULL;
    if (!failed)
        return CUZK_OK;
    text_free(text);
    return error_set(err, CUZK_NO_MEMORY, "no memory for a text");
}

void text_free(struct text *text)
{
    if (text->stream)
        fclose(text->stream);
    free(text->bytes);
    *text = (struct text){0};
}
