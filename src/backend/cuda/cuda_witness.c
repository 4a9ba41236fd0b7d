/* Packed witnesses on the device: as they are on the host (backend/witness.h), inputs before the
 * full values, so that one index names either. */
#include "backend/cuda/cuda_witness.h"

/* Places of the parts from `base` on; returns their bytes. */
static size_t place_parts(struct witness_handle *h, size_t fr_bytes, uint8_t *base)
{
    const size_t map_bytes = witness_map_words(h->n_aux) * sizeof(uint64_t);
    size_t used = 0;

    h->values = cuda_place(base, &used, (h->n_inputs + h->n_full) * fr_bytes);
    h->full_map = cuda_place(base, &used, map_bytes);
    h->bits = cuda_place(base, &used, map_bytes);
    h->full_rank = cuda_place(base, &used, witness_rank_entries(h->n_aux) * sizeof(uint32_t));
    h->records = cuda_place(base, &used, witness_map_words(h->n_aux) * CUDA_RECORD_BYTES);
    return used;
}

size_t cuda_witness_bytes(const struct curve *curve, const struct witness *shape)
{
    struct witness_handle h = {
        .n_inputs = shape->n_inputs, .n_aux = shape->n_aux, .n_full = shape->n_full};

    return cuda_piece(place_parts(&h, curve->fr_bytes, NULL));
}

/* ---- the witness ---------------------------------------------------------------------------- */

static enum cuzk_status put_part(struct stream *s, const struct witness_handle *h,
                                 const struct witness *w, struct witness_part part,
                                 struct cuzk_error *err)
{
    const size_t word = part.first / 64, n_words = witness_map_words(part.end) - word;
    const size_t full = witness_full_before(w, part.first);
    const size_t n_full = witness_full_before(w, part.end) - full;
    const size_t n_inputs = part.end == w->n_aux ? w->n_inputs : 0;
    const struct {
        void *to;
        const void *from;
        size_t bytes;
    } pieces[] = {
        {h->values, w->inputs, n_inputs * w->fr_bytes},
        {h->values + (w->n_inputs + full) * w->fr_bytes, w->full + full * w->fr_bytes / 8,
         n_full * w->fr_bytes},
        {h->bits + word, w->bits + word, n_words * sizeof *h->bits},
    };

    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        TRY(cuda_upload(s->device, pieces[i].to, pieces[i].from, pieces[i].bytes, NULL, s->cuda,
                        err));
    return CU(s->device->kernels->witness_records(
                  h->records + word * CUDA_RECORD_BYTES, h->full_map + word, h->bits + word,
                  h->full_rank + part.first / WITNESS_RANK_STEP, n_words, s->cuda),
              err);
}

static enum cuzk_status send_classes(const struct witness_handle *h, const struct witness *shape,
                                     struct cuzk_error *err)
{
    if (shape->n_aux)
        TRY(CU(cudaMemcpy(h->full_map, shape->full_map,
                          witness_map_words(h->n_aux) * sizeof(uint64_t), cudaMemcpyHostToDevice),
               err));
    TRY(CU(cudaMemcpy(h->full_rank, shape->full_rank,
                      witness_rank_entries(h->n_aux) * sizeof(uint32_t), cudaMemcpyHostToDevice),
           err));
    return CU(cudaStreamSynchronize(NULL), err); /* no other stream waits for these */
}

enum cuzk_status cuda_witness_new(struct device *d, const struct witness *shape,
                                  struct witness_handle **ret, struct cuzk_error *err)
{
    struct witness_handle *h = mem_new(sizeof *h);
    enum cuzk_status st;

    if (!h)
        return error_set(err, CUZK_NO_MEMORY, "witness: out of memory");
    h->device = d;
    h->n_inputs = shape->n_inputs;
    h->n_aux = shape->n_aux;
    h->n_full = shape->n_full;
    TRY_GOTO(st, out, cuda_tiles_make(d, err));
    TRY_GOTO(st, out, cuda_take(d, place_parts(h, shape->fr_bytes, NULL), &h->piece, err));
    (void)place_parts(h, shape->fr_bytes, cuda_at(d, h->piece));
    TRY_GOTO(st, out, send_classes(h, shape, err));
    *ret = h;
    h = NULL;
out:
    cuda_witness_free(h);
    return st;
}

void cuda_witness_put(struct stream *s, struct witness_handle *h, const struct witness *witness,
                      struct witness_part part)
{
    if (cuda_op_begin(s, "witness_put"))
        cuda_op_end(s, put_part(s, h, witness, part, &s->failure), &s->failure);
}

void cuda_witness_free(struct witness_handle *h)
{
    if (!h)
        return;
    cuda_give(h->device, h->piece);
    mem_free(h);
}
