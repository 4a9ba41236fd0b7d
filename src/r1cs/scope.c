#include "r1cs/scope.h"

#include <stdio.h>

void scope_path(const struct scope_stack *stack, char *text, size_t n)
{
    size_t depth = stack->depth < SCOPE_DEPTH_MAX ? stack->depth : SCOPE_DEPTH_MAX;
    size_t at = 0;

    text[0] = '\0';
    for (size_t i = 0; i < depth && at < n; i++) {
        const char *slash = i ? "/" : "";
        int wrote = stack->entries[i].index == SCOPE_NO_INDEX
                        ? snprintf(text + at, n - at, "%s%s", slash, stack->entries[i].name)
                        : snprintf(text + at, n - at, "%s%s %ld", slash, stack->entries[i].name,
                                   stack->entries[i].index);
        at += (size_t)wrote;
    }
}
