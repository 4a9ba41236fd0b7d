/* A card that is not there: the processor's portable back end, which says that it has memory of its
 * own and that points take some of it. For plans; nobody opens it. */
#ifndef SUPPORT_MADE_UP_CARD_H
#define SUPPORT_MADE_UP_CARD_H

#include "backend/backend.h"

enum { MADE_UP_BYTES_OF_A_POINT = 512 };

static inline size_t made_up_bases_bytes(const struct curve *curve,
                                         const struct bases_source *source)
{
    return backend_find("cpu")->bases_bytes(curve, source) +
           source->points.n * MADE_UP_BYTES_OF_A_POINT;
}

static inline struct backend made_up_card(void)
{
    struct backend card = *backend_find("cpu");

    card.beside_host = true;
    card.bases_bytes = made_up_bases_bytes;
    return card;
}

#endif
