/* The dashboard's HTTP server: pages, JSON, streams of server-sent events. */
#include "worker/dashboard/pages.h"

#include <inttypes.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "dashboard_page.h"
#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/json_member.h"
#include "worker/dashboard/board.h"
#include "worker/dashboard/staff.h"
#include "worker/observe/http.h"

enum {
    OTHERS_MAX = 256,       /* connections beside those of streams */
    TIMEOUT_S = 30,         /* without a byte taken or sent */
    MEMORY_MAX = 16 * 1024, /* of a connection, for its request */
    ROWS_MS = 400,          /* how often an overview gets its changes */
    BEHIND_MAX = 200,       /* a stream that lags by more messages reads all again */
    EVENT_SIZE = 64 * 1024, /* rows for one event, about */
    RETRY_AFTER_S = 10,
    STUCK_MS = 30000
};

struct pages {
    struct pages_settings settings;
    struct board *board;
    struct staff *staff; /* NULL: no staff pages */
    struct MHD_Daemon *daemon;
    struct list sleepers; /* with the board's lock held */
    bool closing;
    _Atomic uint32_t streams;
    _Atomic uint64_t events, refused;
    char security[512]; /* the header Content-Security-Policy */
};

/* ==== Sleepers ==== */

/* A suspended connection: of a stream that has nothing to send, or of a resource being loaded. */
struct sleeper {
    struct list_node node;
    struct MHD_Connection *connection;
};

/* With the lock held. */
static void sleep_until_turned(struct pages *pages, struct sleeper *sleeper)
{
    list_add(&pages->sleepers, &sleeper->node);
    MHD_suspend_connection(sleeper->connection);
}

/* With the lock held. */
static void wake_all(struct pages *pages)
{
    struct list_node *node;
    while ((node = list_take(&pages->sleepers)))
        MHD_resume_connection(ENTRY_OF(node, struct sleeper, node)->connection);
}

/* Called by the thread that follows Redis, maybe before pages->board is set. */
static void turned(void *context, struct board *board)
{
    pthread_mutex_lock(&board->lock);
    wake_all(context);
    pthread_mutex_unlock(&board->lock);
}

/* ==== Responses ==== */

struct request {
    struct sleeper sleeper;
    struct pages *pages;
    const char *path;
    int64_t until_ms; /* how long a resource that is being loaded is waited for; 0: not yet known */
    struct staff_ask ask;
};

static void add_headers(const struct pages *pages, struct MHD_Response *response, const char *type)
{
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(response, "Content-Security-Policy", pages->security);
}

static enum MHD_Result queue(struct MHD_Connection *connection, unsigned status,
                             struct MHD_Response *response)
{
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

/* Takes the body's bytes. */
static enum MHD_Result respond(const struct request *request, unsigned status, const char *type,
                               struct usher_buffer *body)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(body->size, body->at, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        usher_buffer_deinit(body);
        return MHD_NO;
    }
    add_headers(request->pages, response, type);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    if (status == MHD_HTTP_UNAUTHORIZED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE,
                                "Basic realm=\"usher\", charset=\"UTF-8\"");
    if (status == MHD_HTTP_SERVICE_UNAVAILABLE) {
        char seconds[16];
        snprintf(seconds, sizeof seconds, "%d", RETRY_AFTER_S);
        MHD_add_response_header(response, MHD_HTTP_HEADER_RETRY_AFTER, seconds);
        /* Its place is for the next one. */
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    }
    return queue(request->sleeper.connection, status, response);
}

static enum MHD_Result respond_text(const struct request *request, unsigned status,
                                    const char *text)
{
    struct usher_buffer body = {0};
    usher_buffer_text(&body, text);
    usher_buffer_text(&body, "\n");
    return respond(request, status, "text/plain; charset=utf-8", &body);
}

static enum MHD_Result respond_json(const struct request *request, struct usher_buffer *body)
{
    return respond(request, MHD_HTTP_OK, "application/json", body);
}

/* ==== Pages ==== */

struct content {
    const char *at;
    size_t size;
};

struct asset {
    const char *path, *file, *type;
    struct content plain, gzip;
};

#define SCRIPT "text/javascript; charset=utf-8"
/* NOLINTBEGIN(bugprone-macro-parentheses): literals are joined, and names. */
#define ASSET_AT(path_, file_, type_, name_)                                                   \
    {                                                                                          \
        .path = (path_), .file = (file_), .type = (type_), .plain = {name_, sizeof name_ - 1}, \
        .gzip = {name_##_gz, sizeof name_##_gz - 1},                                           \
    }
#define ASSET(file_, type_, name_) ASSET_AT("/" file_, file_, type_, name_)
/* NOLINTEND(bugprone-macro-parentheses) */

static const struct asset assets[] = {
    ASSET_AT("/", "index.html", "text/html; charset=utf-8", index_html),
    ASSET("style.css", "text/css; charset=utf-8", style_css),
    ASSET("icon.svg", "image/svg+xml", icon_svg),
    ASSET("main.js", SCRIPT, main_js),
    ASSET("store.js", SCRIPT, store_js),
    ASSET("words.js", SCRIPT, words_js),
    ASSET("picture.js", SCRIPT, picture_js),
    ASSET("overview.js", SCRIPT, overview_js),
    ASSET("resource.js", SCRIPT, resource_js),
    ASSET("hall.js", SCRIPT, hall_js),
    ASSET("calendar.js", SCRIPT, calendar_js),
    ASSET("stock.js", SCRIPT, stock_js),
    ASSET("rewind.js", SCRIPT, rewind_js),
    ASSET("partitions.js", SCRIPT, partitions_js),
    ASSET("staff.js", SCRIPT, staff_js),
};

enum {
    ASSET_COUNT = sizeof assets / sizeof assets[0]
};

static const struct asset *find_asset(const char *path)
{
    for (size_t i = 0; i < ASSET_COUNT; i++)
        if (strcmp(assets[i].path, path) == 0)
            return &assets[i];
    return NULL;
}

/* As it is in the folder right now, for those who work on it. */
static void read_asset(const char *folder, const struct asset *asset, struct usher_buffer *out)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, asset->file);
    FILE *file = fopen(path, "r");
    size_t size = file ? 1 : 0;
    while (size > 0) {
        char *at = usher_buffer_reserve(out, EVENT_SIZE);
        size = fread(at, 1, EVENT_SIZE, file);
        out->size += size;
    }
    if (file)
        (void)fclose(file);
}

/* Whether gzip is among the codings that the browser takes: of those with `q=0` it is not. */
static bool takes_gzip(const struct request *request)
{
    const char *codings = MHD_lookup_connection_value(request->sleeper.connection, MHD_HEADER_KIND,
                                                      MHD_HTTP_HEADER_ACCEPT_ENCODING);
    const char *found = codings ? strstr(codings, "gzip") : NULL;
    double weight = 1;
    return found && (sscanf(found, "gzip ; q =%lf", &weight) != 1 || weight > 0);
}

/* Browsers ask whether the bytes changed, and are sent nothing where they did not. */
static enum MHD_Result serve_asset(const struct request *request, const struct asset *asset)
{
    if (request->pages->settings.assets) {
        struct usher_buffer body = {0};
        read_asset(request->pages->settings.assets, asset, &body);
        return respond(request, MHD_HTTP_OK, asset->type, &body);
    }
    bool gzip = takes_gzip(request);
    const struct content *content = gzip ? &asset->gzip : &asset->plain;
    char tag[32];
    snprintf(tag, sizeof tag, "\"%016" PRIx64 "\"", table_hash_text(content->at, content->size));
    const char *known = MHD_lookup_connection_value(request->sleeper.connection, MHD_HEADER_KIND,
                                                    MHD_HTTP_HEADER_IF_NONE_MATCH);
    bool same = known && strcmp(known, tag) == 0;
    union {
        const char *text;
        void *bytes; /* that are not written to */
    } body = {.text = content->at};
    struct MHD_Response *response = MHD_create_response_from_buffer(
        same ? 0 : content->size, body.bytes, MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    add_headers(request->pages, response, asset->type);
    if (gzip && !same)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
    MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT_ENCODING);
    MHD_add_response_header(response, MHD_HTTP_HEADER_ETAG, tag);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
    return queue(request->sleeper.connection, same ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, response);
}

/* ==== JSON ==== */

static const char *after(const char *path, const char *start)
{
    return strncmp(path, start, strlen(start)) == 0 ? path + strlen(start) : NULL;
}

static void write_rows(const struct board *board, struct usher_buffer *out)
{
    json_number(out, "{\"now_ms\":", clock_wall_ms());
    json_number(out, ",\"pace_ms\":", PACE_MS);
    usher_buffer_text(out, ",\"resources\":[");
    for (const struct list_node *node = board->rows_by_changes.oldest; node; node = node->newer) {
        if (node != board->rows_by_changes.oldest)
            usher_buffer_text(out, ",");
        board_write_row((const struct row *)(const void *)((const char *)node -
                                                           offsetof(struct row, by_changes)),
                        out);
    }
    usher_buffer_text(out, "]}\n");
}

static enum MHD_Result serve_rows(struct request *request)
{
    struct board *board = request->pages->board;
    struct usher_buffer body = {0};
    pthread_mutex_lock(&board->lock);
    bool loaded = board->rows_loaded;
    if (loaded)
        write_rows(board, &body);
    pthread_mutex_unlock(&board->lock);
    return loaded
               ? respond_json(request, &body)
               : respond_text(request, MHD_HTTP_SERVICE_UNAVAILABLE, "not yet connected to Redis");
}

static enum MHD_Result serve_partitions(struct request *request)
{
    struct board *board = request->pages->board;
    struct usher_buffer body = {0};
    if (request->pages->settings.is_public)
        return respond_text(request, MHD_HTTP_NOT_FOUND, "not found");
    pthread_mutex_lock(&board->lock);
    board_write_partitions(board, &body);
    pthread_mutex_unlock(&board->lock);
    return respond_json(request, &body);
}

/* How a resource can be served. */
enum look {
    LOOK_UNKNOWN,
    LOOK_WAIT, /* the connection is suspended until the next turn */
    LOOK_LATE, /* Redis does not answer */
    LOOK_GOOD
};

/* With the lock held. */
static enum look look(struct request *request, const char *id, struct shown **shown)
{
    enum {
        LOAD_MS = 3000
    };
    struct pages *pages = request->pages;
    *shown = board_look(pages->board, id);
    if (request->until_ms == 0)
        request->until_ms = clock_ms() + LOAD_MS;
    if (*shown && (*shown)->loaded)
        return LOOK_GOOD;
    if (!*shown && pages->board->rows_loaded)
        return LOOK_UNKNOWN;
    if (pages->closing || clock_ms() > request->until_ms)
        return LOOK_LATE;
    sleep_until_turned(pages, &request->sleeper);
    return LOOK_WAIT;
}

static enum MHD_Result respond_look(const struct request *request, enum look looked)
{
    return looked == LOOK_WAIT ? MHD_YES
           : looked == LOOK_UNKNOWN
               ? respond_text(request, MHD_HTTP_NOT_FOUND, "no such resource")
               : respond_text(request, MHD_HTTP_SERVICE_UNAVAILABLE, "Redis does not answer");
}

static enum MHD_Result serve_shown(struct request *request, const char *id,
                                   void (*write)(const struct shown *, struct usher_buffer *))
{
    struct board *board = request->pages->board;
    struct usher_buffer body = {0};
    struct shown *shown;
    pthread_mutex_lock(&board->lock);
    enum look looked = look(request, id, &shown);
    if (looked == LOOK_GOOD)
        write(shown, &body);
    pthread_mutex_unlock(&board->lock);
    return looked == LOOK_GOOD ? respond_json(request, &body) : respond_look(request, looked);
}

static enum MHD_Result serve_layout(const struct request *request, const char *layout)
{
    struct board *board = request->pages->board;
    struct usher_buffer body = {0};
    pthread_mutex_lock(&board->lock);
    const char *json = board_layout(board, layout);
    if (json)
        usher_buffer_text(&body, json);
    pthread_mutex_unlock(&board->lock);
    return json ? respond_json(request, &body)
                : respond_text(request, MHD_HTTP_NOT_FOUND, "no such layout");
}

/* ==== Staff ==== */

static const char *staff_argument(void *context, const char *name)
{
    const struct request *request = context;
    const char *value =
        MHD_lookup_connection_value(request->sleeper.connection, MHD_GET_ARGUMENT_KIND, name);
    return value && *value != '\0' ? value : NULL;
}

/* Called by a thread of the staff pages, or within staff_ask. */
static void staff_answered(struct staff_ask *ask)
{
    MHD_resume_connection(ENTRY_OF(ask, struct request, ask)->sleeper.connection);
}

static enum MHD_Result respond_staff(struct request *request, enum staff_result result)
{
    static const struct {
        unsigned status;
        const char *text;
    } refusals[] = {
        [STAFF_UNKNOWN] = {MHD_HTTP_NOT_FOUND, "not found"},
        [STAFF_BAD] = {MHD_HTTP_BAD_REQUEST,
                       "a resource, customer, cart, booking or request is needed, and for a seat "
                       "the resource, section and unit"},
        [STAFF_BUSY] = {MHD_HTTP_SERVICE_UNAVAILABLE, "too many questions at once"},
        [STAFF_AWAY] = {MHD_HTTP_SERVICE_UNAVAILABLE, "PostgreSQL does not answer in time"},
    };
    if (result != STAFF_ANSWERED)
        return respond_text(request, refusals[result].status, refusals[result].text);
    struct usher_buffer body = request->ask.body;
    request->ask.body = (struct usher_buffer){0};
    return respond_json(request, &body);
}

/* The connection is suspended until PostgreSQL has answered. */
static enum MHD_Result serve_staff(struct request *request, const char *name)
{
    struct staff_ask *ask = &request->ask;
    if (!request->pages->staff)
        return respond_text(request, MHD_HTTP_NOT_FOUND, "not found");
    if (ask->result != STAFF_OPEN)
        return respond_staff(request, ask->result);
    pthread_mutex_lock(&request->pages->board->lock);
    bool closing = request->pages->closing;
    if (!closing) {
        MHD_suspend_connection(request->sleeper.connection);
        staff_ask(request->pages->staff, name, staff_argument, request, ask);
    }
    pthread_mutex_unlock(&request->pages->board->lock);
    return closing ? respond_staff(request, STAFF_BUSY) : MHD_YES;
}

/* Which pages there are beside those for everybody. */
static enum MHD_Result serve_pages(const struct request *request)
{
    struct usher_buffer body = {0};
    usher_buffer_text(&body, "{\"partitions\":");
    usher_buffer_text(&body, request->pages->settings.is_public ? "false" : "true");
    usher_buffer_text(&body, ",\"staff\":");
    usher_buffer_text(&body, request->pages->staff ? "true}\n" : "false}\n");
    return respond_json(request, &body);
}

/* ==== Streams ==== */

struct stream {
    struct sleeper sleeper;
    struct pages *pages;
    struct shown *shown; /* NULL: the overview */
    uint64_t next;       /* message of the resource, or the last change of a row that was sent */
    uint64_t generation;
    bool told_gone;
    int64_t status_number, rows_at_ms;
    struct usher_buffer out; /* of which `sent` bytes are sent */
    size_t sent;
};

static void add_event(struct stream *stream, const char *name, const char *data, size_t size)
{
    usher_buffer_text(&stream->out, "event: ");
    usher_buffer_text(&stream->out, name);
    usher_buffer_text(&stream->out, "\ndata: ");
    usher_buffer_append(&stream->out, data, size);
    usher_buffer_text(&stream->out, "\n\n");
    stream->pages->events++;
}

static void add_status(struct stream *stream)
{
    struct usher_buffer status = {0};
    const struct board *board = stream->pages->board;
    if (stream->status_number == board->status_number)
        return;
    stream->status_number = board->status_number;
    board_write_status(board, &status);
    add_event(stream, "status", status.at, status.size);
    usher_buffer_deinit(&status);
}

static const struct row *row_of(const struct list_node *node)
{
    return (const struct row *)(const void *)((const char *)node -
                                              offsetof(struct row, by_changes));
}

/* The oldest row that changed after the last one sent, and those after it up to a size. */
static void add_rows(struct stream *stream)
{
    const struct board *board = stream->pages->board;
    const struct list_node *node = board->rows_by_changes.newest;
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
    const struct board *board = stream->pages->board;
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
    bool gone = !board_row(stream->pages->board, shown->id);
    if (gone && !stream->told_gone)
        add_event(stream, "gone", "{}", 2);
    stream->told_gone = gone;
    const struct log_entry *entry =
        stream->next < shown->next_number ? shown_entry(shown, stream->next) : NULL;
    if (stream->next < shown->next_number &&
        (!entry || shown->next_number - stream->next > BEHIND_MAX)) {
        stream->next = shown->next_number;
        add_event(stream, "reload", "{}", 2);
        return;
    }
    for (; entry && stream->out.size < EVENT_SIZE; stream->next++) {
        char id[64];
        snprintf(id, sizeof id, "id: %" PRId64 ".%" PRId64 "\n", entry->epoch, entry->rev);
        usher_buffer_text(&stream->out, id);
        add_event(stream, "change", entry->text, entry->size);
        const struct list_node *newer = entry->node.newer;
        entry = newer ? (const struct log_entry *)(const void *)((const char *)newer -
                                                                 offsetof(struct log_entry, node))
                      : NULL;
    }
}

/* Called by the library whenever there is room for more. */
static ssize_t send_more(void *context, uint64_t position, char *buffer, size_t size)
{
    struct stream *stream = context;
    struct pages *pages = stream->pages;
    (void)position;
    if (stream->sent == stream->out.size) {
        stream->sent = stream->out.size = 0;
        pthread_mutex_lock(&pages->board->lock);
        bool closing = pages->closing;
        if (stream->shown)
            add_messages(stream);
        else
            add_overview(stream);
        add_status(stream);
        if (stream->out.size == 0 && !closing)
            sleep_until_turned(pages, &stream->sleeper);
        pthread_mutex_unlock(&pages->board->lock);
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

static void end_stream(void *context)
{
    struct stream *stream = context;
    struct board *board = stream->pages->board;
    pthread_mutex_lock(&board->lock);
    if (stream->shown) {
        stream->shown->viewers--;
        stream->shown->looked_ms = clock_ms();
    }
    pthread_mutex_unlock(&board->lock);
    stream->pages->streams--;
    usher_buffer_deinit(&stream->out);
    free(stream);
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

static struct stream *new_stream(struct request *request, struct shown *shown)
{
    struct pages *pages = request->pages;
    struct stream *stream = memory_calloc(1, sizeof *stream);
    stream->sleeper.connection = request->sleeper.connection;
    stream->pages = pages;
    stream->shown = shown;
    stream->generation = pages->board->generation;
    stream->next = pages->board->changes;
    usher_buffer_text(&stream->out, "retry: 1000\n\n");
    if (shown) {
        shown->viewers++;
        find_place(stream, MHD_lookup_connection_value(request->sleeper.connection, MHD_HEADER_KIND,
                                                       "Last-Event-ID"));
    } else {
        add_event(stream, "position", "{}", 2);
    }
    return stream;
}

static enum MHD_Result serve_stream(struct request *request)
{
    enum {
        BLOCK_SIZE = 16 * 1024
    };
    struct pages *pages = request->pages;
    const char *id =
        MHD_lookup_connection_value(request->sleeper.connection, MHD_GET_ARGUMENT_KIND, "resource");
    struct shown *shown = NULL;
    if (pages->streams >= pages->settings.streams_max) {
        pages->refused++;
        return respond_text(request, MHD_HTTP_SERVICE_UNAVAILABLE, "too many browsers");
    }
    pthread_mutex_lock(&pages->board->lock);
    enum look looked = id ? look(request, id, &shown) : LOOK_GOOD;
    struct stream *stream = looked == LOOK_GOOD ? new_stream(request, shown) : NULL;
    pthread_mutex_unlock(&pages->board->lock);
    if (!stream)
        return respond_look(request, looked);
    pages->streams++;
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, BLOCK_SIZE, send_more, stream, end_stream);
    if (!response) {
        end_stream(stream);
        return MHD_NO;
    }
    add_headers(pages, response, "text/event-stream");
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    MHD_add_response_header(response, "X-Accel-Buffering", "no");
    return queue(request->sleeper.connection, MHD_HTTP_OK, response);
}

/* ==== Operators ==== */

static enum MHD_Result serve_livez(const struct request *request)
{
    bool alive = clock_ms() - request->pages->board->turned_ms < STUCK_MS;
    return respond_text(request, alive ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE,
                        alive ? "ok" : "the thread that follows Redis is stuck");
}

static enum MHD_Result serve_readyz(const struct request *request)
{
    struct board *board = request->pages->board;
    pthread_mutex_lock(&board->lock);
    bool ready = board->rows_loaded;
    pthread_mutex_unlock(&board->lock);
    return respond_text(request, ready ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE,
                        ready ? "ok" : "not yet connected to Redis");
}

static void write_metric(struct usher_buffer *out, const char *name, const char *type,
                         const char *help, uint64_t value)
{
    const char *const parts[] = {"# HELP ", name, " ",  help, "\n# TYPE ", name,
                                 " ",       type, "\n", name, " "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        usher_buffer_text(out, parts[i]);
    usher_buffer_number(out, (int64_t)value);
    usher_buffer_text(out, "\n");
}

static enum MHD_Result serve_metrics(const struct request *request)
{
    struct pages *pages = request->pages;
    struct board *board = pages->board;
    struct usher_buffer body = {0};
    size_t size = 0;
    pthread_mutex_lock(&board->lock);
    struct table_node *node = table_each(&board->showns, NULL);
    for (; node; node = table_each(&board->showns, node))
        size += shown_size(ENTRY_OF(node, struct shown, node));
    write_metric(&body, "usher_dashboard_redis_up", "gauge", "Whether Redis is connected.",
                 board->connected);
    write_metric(&body, "usher_dashboard_resources", "gauge", "Resources in the overview.",
                 board->rows.count);
    write_metric(&body, "usher_dashboard_resources_followed", "gauge",
                 "Resources that somebody looks at, or looked at.", board->showns.count);
    write_metric(&body, "usher_dashboard_memory_bytes", "gauge",
                 "Memory of these resources and their history.", size);
    write_metric(&body, "usher_dashboard_messages_total", "counter", "Messages from Redis.",
                 board->messages);
    pthread_mutex_unlock(&board->lock);
    write_metric(&body, "usher_dashboard_browsers", "gauge", "Streams that are open.",
                 pages->streams);
    write_metric(&body, "usher_dashboard_events_total", "counter", "Events sent to browsers.",
                 pages->events);
    write_metric(&body, "usher_dashboard_refused_total", "counter",
                 "Streams that were refused because there were too many.", pages->refused);
    return respond(request, MHD_HTTP_OK, "text/plain; version=0.0.4; charset=utf-8", &body);
}

/* ==== Requests ==== */

/* In a time that tells nothing of where they differ. */
static bool equal_secrets(const char *one, const char *other)
{
    size_t size = strlen(one);
    unsigned char differ = size != strlen(other);
    for (size_t i = 0; i < size && i < strlen(other); i++)
        differ |= (unsigned char)(one[i] ^ other[i]);
    return differ == 0;
}

/* By `Bearer TOKEN`, or as the password of any user. */
static bool may_enter(const struct request *request)
{
    const char *token = request->pages->settings.token;
    struct MHD_Connection *connection = request->sleeper.connection;
    const char *sent =
        MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);
    const char *bearer = sent ? after(sent, "Bearer ") : NULL;
    if (!token || (bearer && equal_secrets(bearer, token)))
        return true;
    char *password = NULL;
    char *user = MHD_basic_auth_get_username_password(connection, &password);
    bool good = password && equal_secrets(password, token);
    MHD_free(user);
    MHD_free(password);
    return good;
}

static enum MHD_Result serve_path(struct request *request)
{
    const char *path = request->path, *rest;
    const struct asset *asset = find_asset(path);
    if (strcmp(path, "/livez") == 0)
        return serve_livez(request);
    if (strcmp(path, "/readyz") == 0)
        return serve_readyz(request);
    if (!may_enter(request))
        return respond_text(request, MHD_HTTP_UNAUTHORIZED, "a password or token is needed");
    if (asset)
        return serve_asset(request, asset);
    if (strcmp(path, "/metrics") == 0)
        return serve_metrics(request);
    if (strcmp(path, "/api/resources") == 0)
        return serve_rows(request);
    if (strcmp(path, "/api/changes") == 0)
        return serve_stream(request);
    if (strcmp(path, "/api/partitions") == 0)
        return serve_partitions(request);
    if (strcmp(path, "/api/pages") == 0)
        return serve_pages(request);
    if ((rest = after(path, "/api/staff/")))
        return serve_staff(request, rest);
    if ((rest = after(path, "/api/resources/")))
        return serve_shown(request, rest, shown_write);
    if ((rest = after(path, "/api/history/")))
        return serve_shown(request, rest, shown_write_log);
    if ((rest = after(path, "/api/layouts/")))
        return serve_layout(request, rest);
    return respond_text(request, MHD_HTTP_NOT_FOUND, "not found");
}

/* Called for the headers, for each piece of a body, which is discarded, and after each sleep. */

/* NOLINTNEXTLINE(readability-function-size): the library's signature */
static enum MHD_Result serve(void *context, struct MHD_Connection *connection, const char *path,
                             const char *method, const char *version, const char *upload,
                             size_t *upload_size, void **state)
{
    (void)version;
    (void)upload;
    struct request *request = *state;
    if (!request) {
        request = memory_calloc(1, sizeof *request);
        request->pages = context;
        request->sleeper.connection = connection;
        *state = request;
        return MHD_YES;
    }
    if (*upload_size > 0) {
        *upload_size = 0;
        return MHD_YES;
    }
    request->path = path;
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return respond_text(request, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD");
    return serve_path(request);
}

static void complete(void *context, struct MHD_Connection *connection, void **state,
                     enum MHD_RequestTerminationCode code)
{
    (void)context;
    (void)connection;
    (void)code;
    struct request *request = *state;
    if (request)
        usher_buffer_deinit(&request->ask.body);
    free(request);
    *state = NULL;
}

/* ==== Life ==== */

static enum usher_status start(struct pages *pages, struct usher_error *err)
{
    struct addrinfo *address = NULL;
    const char *listen = pages->settings.listen;
    enum usher_status status = http_resolve("USHER_DASHBOARD_LISTEN", listen, &address, err);
    if (status != USHER_OK)
        return status;
    pages->daemon = MHD_start_daemon(
        http_flags(address) | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, serve, pages,
        MHD_OPTION_SOCK_ADDR, address->ai_addr, MHD_OPTION_NOTIFY_COMPLETED, complete, pages,
        MHD_OPTION_CONNECTION_LIMIT, pages->settings.streams_max + (unsigned)OTHERS_MAX,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)MEMORY_MAX, MHD_OPTION_END);
    freeaddrinfo(address);
    if (pages->daemon)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_UNAVAILABLE,
                    "could not listen on \"%s\": the port is in use, or the address is not one of "
                    "this machine",
                    listen);
    return USHER_FATAL;
}

enum usher_status pages_open(const struct pages_settings *settings, struct pages **pages,
                             struct usher_error *err)
{
    struct pages *opened = memory_calloc(1, sizeof *opened);
    opened->settings = *settings;
    snprintf(opened->security, sizeof opened->security,
             "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
             "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors %s",
             settings->frame_ancestors);
    opened->board = board_open(&(struct board_settings){
        .redis = settings->redis,
        .memory_max = settings->memory_max,
        .turned = turned,
        .context = opened,
    });
    if (settings->has_staff)
        opened->staff = staff_open(&opened->settings.postgres, staff_answered);
    enum usher_status status = start(opened, err);
    if (status != USHER_OK) {
        pages_close(opened);
        opened = NULL;
    } else {
        const union MHD_DaemonInfo *info =
            MHD_get_daemon_info(opened->daemon, MHD_DAEMON_INFO_BIND_PORT);
        http_log_listening(settings->listen, info ? info->port : 0);
    }
    *pages = opened;
    return status;
}

void pages_close(struct pages *pages)
{
    if (!pages)
        return;
    pthread_mutex_lock(&pages->board->lock);
    pages->closing = true;
    wake_all(pages);
    pthread_mutex_unlock(&pages->board->lock);
    staff_close(pages->staff);
    if (pages->daemon)
        MHD_stop_daemon(pages->daemon);
    board_close(pages->board);
    free(pages);
}
