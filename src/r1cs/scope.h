/* The path of names that leads to a place in a circuit: "challenge 3/label 2/sha256". */
#ifndef R1CS_SCOPE_H
#define R1CS_SCOPE_H

#include <stddef.h>

enum { SCOPE_DEPTH_MAX = 32, SCOPE_NO_INDEX = -1 };

struct scope_stack {
    size_t depth; /* may exceed the maximum: what is deeper has no name */
    struct {
        const char *name; /* borrowed */
        long index;       /* SCOPE_NO_INDEX: none */
    } entries[SCOPE_DEPTH_MAX];
};

static inline void scope_push(struct scope_stack *stack, const char *name, long index)
{
    if (stack->depth < SCOPE_DEPTH_MAX) {
        stack->entries[stack->depth].name = name;
        stack->entries[stack->depth].index = index;
    }
    stack->depth++;
}
static inline void scope_pop(struct scope_stack *stack)
{
    if (stack->depth > 0)
        stack->depth--;
}

/* Writes the path, cut off at n - 1 characters; "" for an empty stack. */
void scope_path(const struct scope_stack *stack, char *text, size_t n);

#endif
