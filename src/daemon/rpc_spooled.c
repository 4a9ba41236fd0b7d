/* A message that is spooled: into a file as it comes, and held while there is no room for it.
 *
 *     begun ─┬─ no larger than the first window ───────────────────► written ──► its handler
 *            └─ head is here ──► held ── room ──► granted: window ─────┘
 *
 * A held call's stream is given no window beyond the first. `granted_bytes` is the sum over the
 * large messages that were let in of what is not in the file yet; `room` is always asked with that
 * sum and the candidate's bytes together. */
#include "daemon/rpc_state.h"

#include <stdio.h>
#include <string.h>

enum { GRANTED_WINDOW = 4 << 20 };

/* ---- admission ------------------------------------------------------------------------------- */

static void unhold(struct rpc_call *call)
{
    if (!call->held_link)
        return;
    *call->held_link = call->next_held;
    if (call->next_held)
        call->next_held->held_link = call->held_link;
    call->held_link = NULL;
    call->rpc->stats.n_held--;
}

static void give_window(struct rpc_call *call)
{
    uint64_t taken = GRPC_PREFIX + call->body->written;

    if (call->granted && taken > call->consumed) {
        http2_consume(call->stream, taken - call->consumed);
        call->consumed = taken;
    }
}

static void grant(struct rpc_call *call)
{
    unhold(call);
    call->granted = true;
    call->rpc->stats.granted_bytes += call->length - call->seen_written;
    call->last_progress = loop_now();
    http2_widen(call->stream, GRANTED_WINDOW);
    give_window(call);
}

static void tell_waiting(struct rpc_call *call, const char *why)
{
    const struct rpc_options *options = &call->rpc->options;
    char line[300];

    if (call->told || !options->log)
        return;
    call->told = true;
    snprintf(line, sizeof line, "a request of %llu bytes from %s waits: %s",
             (unsigned long long)call->length, http2_peer(call->stream), why);
    options->log(options->log_ctx, true, line);
}

static void admit(struct rpc *rpc)
{
    loop_timer_cancel(&rpc->ask_again);
    while (rpc->held) {
        struct rpc_call *call = rpc->held;
        uint64_t bytes = rpc->stats.granted_bytes + call->length - call->seen_written;
        const char *why;

        if (!rpc->options.room(rpc->options.spool_ctx, bytes, &why)) {
            tell_waiting(call, why);
            loop_timer_set(rpc->loop, &rpc->ask_again, loop_now() + LOOP_SECOND);
            return;
        }
        grant(call);
    }
}

void spooled_ask_again(void *ctx)
{
    admit(ctx);
}

void rpc_room_changed(struct rpc *rpc)
{
    if (rpc->held)
        loop_timer_set(rpc->loop, &rpc->ask_again, loop_now());
}

/* The head of a large message is here: it stands in line. */
static void hold(struct rpc_call *call)
{
    struct rpc *rpc = call->rpc;
    struct rpc_call **link = &rpc->held;

    call->asked = true;
    call->urgency =
        call->method->urgency ? call->method->urgency(call->head, call->n_head) : RPC_URGENCIES - 1;
    while (*link && (*link)->urgency <= call->urgency)
        link = &(*link)->next_held;
    call->next_held = *link;
    if (call->next_held)
        call->next_held->held_link = &call->next_held;
    call->held_link = link;
    *link = call;
    rpc->stats.n_held++;
    admit(rpc);
}

/* ---- the body -------------------------------------------------------------------------------- */

static void drop_body(struct rpc_call *call)
{
    if (!call->body)
        return;
    if (call->granted)
        call->rpc->stats.granted_bytes -= call->length - call->seen_written;
    call->granted = false;
    call->body->progress = NULL;
    body_release(call->body);
    call->body = NULL;
}

/* A spooled message is whole when it has been written and its sender has said that this is all. */
void spooled_deliver(struct rpc_call *call)
{
    struct rpc_request request = {.fd = -1, .n = call->length};

    if (call->state != CALL_RECEIVING || !call->stream->ended || call->body->written < call->length)
        return;
    unhold(call);
    request.fd = body_take(call->body);
    drop_body(call);
    rpc_handle(call, &request);
}

static void body_progress(void *ctx)
{
    struct rpc_call *call = ctx;
    uint64_t more = call->body->written - call->seen_written;

    call->seen_written += more;
    call->last_progress = loop_now();
    call->rpc->stats.bytes += more;
    if (call->granted)
        call->rpc->stats.granted_bytes -= more;
    if (call->body->error) {
        char sentence[160];

        snprintf(sentence, sizeof sentence, "the spool cannot take the request: %s",
                 strerror(call->body->error));
        rpc_finish(call, GRPC_UNAVAILABLE, sentence);
        return;
    }
    give_window(call);
    spooled_deliver(call);
}

void spooled_begin(struct rpc_call *call)
{
    const struct rpc_options *options = &call->rpc->options;
    struct cuzk_error err;
    char sentence[160];
    int fd;

    if (call->length > options->max_message) {
        snprintf(sentence, sizeof sentence,
                 "the request has %llu bytes, the limit is %llu (daemon.max_message)",
                 (unsigned long long)call->length, (unsigned long long)options->max_message);
        rpc_finish(call, GRPC_RESOURCE_EXHAUSTED, sentence);
        return;
    }
    if (options->open_spool(options->spool_ctx, &fd, &err) != CUZK_OK) {
        rpc_finish(call, GRPC_UNAVAILABLE, err.message);
        return;
    }
    call->body = body_new(fd, call->length);
    if (!call->body) {
        rpc_finish(call, GRPC_UNAVAILABLE, "no memory for another request");
        return;
    }
    call->body->progress = body_progress;
    call->body->ctx = call;
    call->asked = call->length + GRPC_PREFIX <= RPC_STREAM_WINDOW;
}

void spooled_take(struct rpc_call *call, const uint8_t *bytes, size_t n)
{
    size_t to_head = sizeof call->head - call->n_head;

    http2_keep(call->stream, call->body, call->received, bytes, n);
    if (to_head > n)
        to_head = n;
    memcpy(call->head + call->n_head, bytes, to_head);
    call->n_head += to_head;
    call->received += n;
    /* A message that is not small is longer than the head. */
    if (!call->asked && call->n_head == sizeof call->head)
        hold(call);
}

void spooled_drop(struct rpc_call *call)
{
    unhold(call);
    drop_body(call);
}
