#include "daemon/event_stream.h"

#include <pthread.h>
#include <string.h>

#include "base/text.h"
#include "daemon/status_report.h"

enum { QUIET_SECONDS = 15 };

/* The serving thread reads, the loop writes; `lock` of the streams guards both. */
struct stream {
    struct event_streams *streams;
    struct MHD_Connection *connection; /* NULL: a free place */
    bool sleeps;                       /* suspended until there is something */
    bool lost;
    size_t n;
    char bytes[EVENT_STREAM_BYTES];
};

struct event_streams {
    struct loop *loop;
    struct subscription *subscription;
    struct jobs *jobs;
    struct loop_timer timer;
    pthread_mutex_t lock;
    bool ended;
    size_t n_open;
    struct stream *stream[EVENT_STREAMS_MAX];
};

/* ---- writing: on the loop -------------------------------------------------------------------- */

static void put(struct stream *stream, const char *text, size_t n)
{
    static const char lost[] = "event: lost\ndata: {}\n\n";

    if (stream->lost && sizeof lost - 1 + n <= sizeof stream->bytes - stream->n) {
        memcpy(stream->bytes + stream->n, lost, sizeof lost - 1);
        stream->n += sizeof lost - 1;
        stream->lost = false;
    }
    if (stream->lost || n > sizeof stream->bytes - stream->n)
        stream->lost = true;
    else {
        memcpy(stream->bytes + stream->n, text, n);
        stream->n += n;
    }
    if (stream->sleeps) {
        stream->sleeps = false;
        MHD_resume_connection(stream->connection);
    }
}

static void put_all(struct event_streams *streams, const char *text, size_t n)
{
    pthread_mutex_lock(&streams->lock);
    for (size_t i = 0; i < EVENT_STREAMS_MAX; i++)
        if (streams->stream[i])
            put(streams->stream[i], text, n);
    pthread_mutex_unlock(&streams->lock);
}

static void keep_alive(void *ctx)
{
    struct event_streams *streams = ctx;
    static const char comment[] = ": still here\n\n";

    put_all(streams, comment, sizeof comment - 1);
    loop_timer_set(streams->loop, &streams->timer, loop_now() + QUIET_SECONDS * LOOP_SECOND);
}

static bool has_readers(struct event_streams *streams)
{
    bool any;

    pthread_mutex_lock(&streams->lock);
    any = streams->n_open > 0;
    pthread_mutex_unlock(&streams->lock);
    return any;
}

static const char *event_name(enum event_kind kind)
{
    switch (kind) {
    case EVENT_ACCEPTED:
    case EVENT_STATE:
    case EVENT_STAGE:
    case EVENT_PARTITION: return "job";
    case EVENT_WORKER: return "worker";
    case EVENT_KEY: return "key";
    case EVENT_ADMISSION: return NULL;
    }
    return NULL;
}

static void hear(void *ctx, const struct event *event)
{
    struct event_streams *streams = ctx;
    const char *name = event_name(event->kind);
    struct report report;
    struct text json;

    if (!name || !has_readers(streams) || text_begin(&json, NULL) != CUZK_OK)
        return;
    report_init(&report);
    if (event->job)
        job_report(&report, event->job, false);
    else
        report_text(&report, "text", "%s", event->text);
    fprintf(json.stream, "event: %s\ndata: ", name);
    if (report_print_json(&report, json.stream, NULL) == CUZK_OK &&
        text_end(&json, NULL) == CUZK_OK) {
        /* The data is one line: the JSON's own line ends stand between values only. */
        for (char *p = strchr(json.bytes, '\n') + 1; *p; p++)
            if (*p == '\n')
                *p = ' ';
        memcpy(json.bytes + json.n - 1, "\n", 1);
        put_all(streams, json.bytes, json.n);
        put_all(streams, "\n", 1);
    }
    report_done(&report);
    text_free(&json);
}

/* ---- reading: on a serving thread ------------------------------------------------------------ */

static ssize_t read_stream(void *cls, uint64_t position, char *out, size_t room)
{
    struct stream *stream = cls;
    struct event_streams *streams = stream->streams;
    size_t n;

    (void)position;
    pthread_mutex_lock(&streams->lock);
    n = stream->n < room ? stream->n : room;
    memcpy(out, stream->bytes, n);
    memmove(stream->bytes, stream->bytes + n, stream->n - n);
    stream->n -= n;
    if (n == 0 && !streams->ended) {
        stream->sleeps = true;
        MHD_suspend_connection(stream->connection);
    }
    pthread_mutex_unlock(&streams->lock);
    return n == 0 && streams->ended ? MHD_CONTENT_READER_END_OF_STREAM : (ssize_t)n;
}

static void close_stream(void *cls)
{
    struct stream *stream = cls;
    struct event_streams *streams = stream->streams;

    pthread_mutex_lock(&streams->lock);
    for (size_t i = 0; i < EVENT_STREAMS_MAX; i++)
        if (streams->stream[i] == stream)
            streams->stream[i] = NULL;
    streams->n_open--;
    pthread_mutex_unlock(&streams->lock);
    mem_free(stream);
}

struct MHD_Response *event_stream_open(struct event_streams *streams,
                                       struct MHD_Connection *connection)
{
    struct stream *stream = mem_new(sizeof *stream);
    struct MHD_Response *response = NULL;
    static const char hello[] = "retry: 2000\n\n";
    size_t place = 0;

    if (!stream)
        return NULL;
    stream->streams = streams;
    stream->connection = connection;
    memcpy(stream->bytes, hello, sizeof hello - 1);
    stream->n = sizeof hello - 1;
    pthread_mutex_lock(&streams->lock);
    while (place < EVENT_STREAMS_MAX && streams->stream[place])
        place++;
    if (place < EVENT_STREAMS_MAX && !streams->ended)
        response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, read_stream, stream,
                                                     close_stream);
    if (response) {
        streams->stream[place] = stream;
        streams->n_open++;
    }
    pthread_mutex_unlock(&streams->lock);
    if (!response)
        mem_free(stream);
    return response;
}

/* ---- life ------------------------------------------------------------------------------------ */

enum cuzk_status event_streams_new(struct event_streams **ret, struct loop *loop, struct jobs *jobs,
                                   struct cuzk_error *err)
{
    struct event_streams *streams = mem_new(sizeof *streams);

    if (streams) {
        streams->loop = loop;
        streams->jobs = jobs;
        streams->timer = (struct loop_timer){.f = keep_alive, .ctx = streams};
        pthread_mutex_init(&streams->lock, NULL);
        streams->subscription = jobs_subscribe(jobs, hear, streams);
        if (streams->subscription) {
            keep_alive(streams);
            *ret = streams;
            return CUZK_OK;
        }
        mem_free(streams);
    }
    return error_set(err, CUZK_NO_MEMORY, "no memory for event streams");
}

void event_streams_end(struct event_streams *streams)
{
    if (!streams)
        return;
    jobs_unsubscribe(streams->subscription);
    loop_timer_cancel(&streams->timer);
    pthread_mutex_lock(&streams->lock);
    streams->ended = true;
    for (size_t i = 0; i < EVENT_STREAMS_MAX; i++)
        if (streams->stream[i] && streams->stream[i]->sleeps) {
            streams->stream[i]->sleeps = false;
            MHD_resume_connection(streams->stream[i]->connection);
        }
    pthread_mutex_unlock(&streams->lock);
}

void event_streams_free(struct event_streams *streams)
{
    if (!streams)
        return;
    pthread_mutex_destroy(&streams->lock);
    mem_free(streams);
}
