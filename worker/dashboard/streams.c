/* Server-sent events: what a browser has not been sent yet, out of the board's rows or a log. */
#include "worker/dashboard/streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/json_member.h"

enum {
    ROWS_MS = 400,          /* how often an overview gets its changes */
    BEHIND_MAX = 200,       /* a stream that lags by more messages reads all again */
    EVENT_SIZE = 64 * 1024, /* rows for one event, about */
    BLOCK_SIZE = 16 * 1024
};

struct stream {
    struct sleeper sleeper;
    struct streams *streams;
    struct shown *shown; /* NULL: the overview */
    uint64_t next;       /* message of the resource, or the last change of a row that was sent */
    uint64_t generation;
    bool told_gone;
    int64_t status_number, rows_at_ms;
    struct usher_buffer out; /* of which `sent` bytes are sent */
    size_t sent;
};

/* ==== Events ==== */

static void add_event(struct stream *stream, const char *name, const char *data, size_t size)
{
    usher_buffer_text(&stream->out, "event: ");
    usher_buffer_text(&stream->out, name);
    usher_buffer_text(&stream->out, "\ndata: ");
    usher_buffer_append(&stream->out, data, size);
    usher_buffer_text(&stream->out, "\n\n");
    stream->streams->events++;
}

static void add_status(struct stream *stream)
{
    struct usher_buffer status = {0};
    const struct board *board = stream->streams->board;
    if (stream->status_number == board->status_number)
        return;
    stream->status_number = board->status_number;
    board_write_status(board, &status);
    add_event(stream, "status", status.at, status.size);
    usher_buffer_deinit(&status);
}

static const struct row *row_of(struct list_node *node)
{
    return ENTRY_OF(node, struct row, by_changes);
}

/* The oldest row that changed after the last one sent, and those after it up to a size. */
static void add_rows(struct stream *stream)
{
    const struct board *board = stream->streams->board;
    struct list_node *node = board->rows_by_changes.newest;
    struct usher_buffer rows = {0};
    if (clock_ms() < stream->rows_at_ms || board->changes == stream->next || !node)
        return;
    stream->rows_at_ms = clock_ms() + ROWS_MS;
    while (node->older && row_of(node->older)->changed > stream->next)
        node = node->older;
    usher_buffer_text(&rows, "[");
    for (; node && rows.size < EVENT_SIZE; node = node->newer) {
        if (row_of(node)->changed <= stream->next)
            continue;
        usher_buffer_text(&rows, rows.size > 1 ? "," : "");
        board_write_row(row_of(node), &rows);
        stream->next = row_of(node)->changed;
    }
    usher_buffer_text(&rows, "]");
    add_event(stream, "rows", rows.at, rows.size);
    usher_buffer_deinit(&rows);
}

static void add_overview(struct stream *stream)
{
    const struct board *board = stream->streams->board;
    if (stream->generation != board->generation) {
        stream->generation = board->generation;
        add_event(stream, "reload", "{}", 2);
    }
    add_rows(stream);
}

/* A browser that is too far behind gets the latest, not the backlog. */
static void add_messages(struct stream *stream)
{
    const struct shown *shown = stream->shown;
    bool gone = !board_row(stream->streams->board, shown->id);
    if (gone && !stream->told_gone)
        add_event(stream, "gone", "{}", 2);
    stream->told_gone = gone;
    if (shown->next_number - stream->next > BEHIND_MAX ||
        (stream->next < shown->next_number && !shown_entry(shown, stream->next))) {
        stream->next = shown->next_number;
        add_event(stream, "reload", "{}", 2);
    }
    for (; stream->next < shown->next_number && stream->out.size < EVENT_SIZE; stream->next++) {
        const struct log_entry *entry = shown_entry(shown, stream->next);
        char id[64];
        snprintf(id, sizeof id, "id: %" PRId64 ".%" PRId64 "\n", entry->epoch, entry->rev);
        usher_buffer_text(&stream->out, id);
        add_event(stream, "change", entry->text, entry->size);
    }
}

/* ==== Life ==== */

/* Called by the library whenever there is room for more. */
static ssize_t send_more(void *context, uint64_t position, char *buffer, size_t size)
{
    struct stream *stream = context;
    struct streams *streams = stream->streams;
    (void)position;
    if (stream->sent == stream->out.size) {
        stream->sent = stream->out.size = 0;
        pthread_mutex_lock(&streams->board->lock);
        bool closing = streams->closing;
        if (stream->shown)
            add_messages(stream);
        else
            add_overview(stream);
        add_status(stream);
        if (stream->out.size == 0 && !closing)
            streams_sleep(streams, &stream->sleeper);
        pthread_mutex_unlock(&streams->board->lock);
        if (closing)
            return MHD_CONTENT_READER_END_OF_STREAM;
    }
    size_t left = stream->out.size - stream->sent;
    size_t more = left < size ? left : size;
    if (more > 0)
        memcpy(buffer, stream->out.at + stream->sent, more);
    stream->sent += more;
    return (ssize_t)more;
}

/* With the lock held. */
static void free_stream(struct stream *stream)
{
    if (stream->shown) {
        stream->shown->viewers--;
        stream->shown->looked_ms = clock_ms();
    }
    stream->streams->open--;
    usher_buffer_deinit(&stream->out);
    free(stream);
}

static void end_stream(void *context)
{
    struct stream *stream = context;
    struct board *board = stream->streams->board;
    pthread_mutex_lock(&board->lock);
    free_stream(stream);
    pthread_mutex_unlock(&board->lock);
}

/* Where a browser was cut off, if that is known still; else it is told where the resource is. */
static void find_place(struct stream *stream, const char *last)
{
    const struct shown *shown = stream->shown;
    int64_t epoch = 0, rev = 0;
    stream->next = shown->next_number;
    if (last && sscanf(last, "%" SCNd64 ".%" SCNd64, &epoch, &rev) == 2) {
        const struct log_entry *entry = shown_entry_at(shown, epoch, rev);
        if (entry) {
            stream->next = entry->number + 1;
            return;
        }
    }
    struct usher_buffer place = {0};
    json_number(&place, "{\"epoch\":", shown->facts.numbers[FACT_EPOCH]);
    json_number(&place, ",\"rev\":", shown->facts.numbers[FACT_REV]);
    usher_buffer_text(&place, "}");
    add_event(stream, "position", place.at, place.size);
    usher_buffer_deinit(&place);
}

struct MHD_Response *streams_open(struct streams *streams, struct MHD_Connection *connection,
                                  struct shown *shown)
{
    struct stream *stream = memory_calloc(1, sizeof *stream);
    stream->sleeper.connection = connection;
    stream->streams = streams;
    stream->shown = shown;
    stream->generation = streams->board->generation;
    stream->next = streams->board->changes;
    streams->open++;
    usher_buffer_text(&stream->out, "retry: 1000\n\n");
    if (shown) {
        shown->viewers++;
        find_place(stream,
                   MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Last-Event-ID"));
    } else {
        add_event(stream, "position", "{}", 2);
    }
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, BLOCK_SIZE, send_more, stream, end_stream);
    if (!response)
        free_stream(stream);
    return response;
}
