/* The dashboard's HTTP server: pages, JSON, streams of server-sent events. */
#include "worker/dashboard/pages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/json_member.h"
#include "producer/http/http_port.h"
#include "worker/dashboard/staff.h"
#include "worker/dashboard/streams.h"

enum {
    OTHERS_MAX = 1024, /* connections beside those of streams: a crowd that comes at once */
    OTHERS_MIN = 64,
    OWN_FILES = 64, /* descriptors that are no connections of browsers */
    SILENCE_S = 30,
    MEMORY_MAX = 16 * 1024,
    STUCK_MS = 30000
};

static const char NOT_CONNECTED[] = "not yet connected to Redis";

struct pages {
    struct pages_settings settings;
    struct board *board;
    struct staff *staff; /* NULL: no staff pages */
    struct http_port *port;
    struct streams streams;
    _Atomic uint64_t refused;
    uint64_t staff_results[STAFF_RESULTS];
    char security[512]; /* the header Content-Security-Policy */
};

/* Called by the thread that follows Redis, maybe before pages->board is set. */
static void turned(void *context, struct board *board)
{
    struct pages *pages = context;
    pthread_mutex_lock(&board->lock);
    streams_wake(&pages->streams);
    pthread_mutex_unlock(&board->lock);
}

/* ==== Requests ==== */

struct request {
    struct http_request http;
    struct sleeper sleeper;
    struct pages *pages;
    int64_t until_ms; /* how long a resource that is being loaded is waited for; 0: not yet known */
    struct staff_ask ask;
};

static enum MHD_Result respond_text(const struct request *request, unsigned status,
                                    const char *text)
{
    return http_respond_text(&request->http, status, text);
}

static enum MHD_Result respond_json(const struct request *request, struct usher_buffer *body)
{
    return http_respond(&request->http, MHD_HTTP_OK, "application/json", body);
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

/* A row for each file of the folder. */
static const struct asset assets[] = {
#include "dashboard_page.inc"
};

static const struct asset *find_asset(const char *path)
{
    for (size_t i = 0; i < sizeof assets / sizeof *assets; i++)
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
        char *at = usher_buffer_reserve(out, BUFSIZ);
        size = fread(at, 1, BUFSIZ, file);
        out->size += size;
    }
    if (file)
        (void)fclose(file);
}

/* Whether gzip is among the codings that the browser takes: of those with `q=0` it is not. */
static bool takes_gzip(const struct request *request)
{
    const char *codings = http_header(&request->http, MHD_HTTP_HEADER_ACCEPT_ENCODING);
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
        return http_respond(&request->http, MHD_HTTP_OK, asset->type, &body);
    }
    bool gzip = takes_gzip(request);
    const struct content *content = gzip ? &asset->gzip : &asset->plain;
    char tag[32];
    snprintf(tag, sizeof tag, "\"%016" PRIx64 "\"", table_hash_text(content->at, content->size));
    const char *known = http_header(&request->http, MHD_HTTP_HEADER_IF_NONE_MATCH);
    bool same = known && strcmp(known, tag) == 0;
    union {
        const char *text;
        void *bytes; /* that are not written to */
    } body = {.text = content->at};
    struct MHD_Response *response = MHD_create_response_from_buffer(
        same ? 0 : content->size, body.bytes, MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    if (gzip && !same)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
    MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT_ENCODING);
    MHD_add_response_header(response, MHD_HTTP_HEADER_ETAG, tag);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
    return http_respond_with(&request->http, same ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK,
                             asset->type, response);
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
    for (struct list_node *node = board->rows_by_changes.oldest; node; node = node->newer) {
        if (node != board->rows_by_changes.oldest)
            usher_buffer_text(out, ",");
        board_write_row(ENTRY_OF(node, struct row, by_changes), out);
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
    return loaded ? respond_json(request, &body)
                  : respond_text(request, MHD_HTTP_SERVICE_UNAVAILABLE, NOT_CONNECTED);
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
    if (pages->streams.closing || clock_ms() > request->until_ms)
        return LOOK_LATE;
    streams_sleep(&pages->streams, &request->sleeper);
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

/* The layout of one that somebody looks at: the resource that the browser names is, from now on. */
static enum MHD_Result serve_layout(struct request *request, const char *layout)
{
    struct board *board = request->pages->board;
    struct usher_buffer body = {0};
    struct shown *shown;
    const char *id = http_argument(&request->http, "resource");
    pthread_mutex_lock(&board->lock);
    enum look looked = id ? look(request, id, &shown) : LOOK_GOOD;
    const char *json = looked == LOOK_GOOD ? board_layout(board, layout) : NULL;
    if (json)
        usher_buffer_text(&body, json);
    pthread_mutex_unlock(&board->lock);
    if (looked != LOOK_GOOD)
        return respond_look(request, looked);
    return json ? respond_json(request, &body)
                : respond_text(request, MHD_HTTP_NOT_FOUND, "no such layout");
}

/* ==== Staff ==== */

/* Called by a thread of the staff pages, or within staff_ask. */
static void staff_answered(struct staff_ask *ask)
{
    MHD_resume_connection(ENTRY_OF(ask, struct request, ask)->http.connection);
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
    request->pages->staff_results[result]++;
    if (result != STAFF_ANSWERED)
        return respond_text(request, refusals[result].status, refusals[result].text);
    struct usher_buffer body = request->ask.body;
    request->ask.body = (struct usher_buffer){0};
    return respond_json(request, &body);
}

/* `context` is a request. */
static const char *filter(void *context, const char *name)
{
    return http_argument(&((const struct request *)context)->http, name);
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
    bool closing = request->pages->streams.closing;
    if (!closing) {
        MHD_suspend_connection(request->http.connection);
        staff_ask(request->pages->staff, name, filter, request, ask);
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
    usher_buffer_text(&body, request->pages->staff ? "true" : "false");
    if (request->pages->staff && *request->pages->settings.customer_link != '\0')
        json_text(&body, ",\"customer_link\":", request->pages->settings.customer_link);
    usher_buffer_text(&body, "}\n");
    return respond_json(request, &body);
}

static enum MHD_Result serve_stream(struct request *request)
{
    struct pages *pages = request->pages;
    const char *id = http_argument(&request->http, "resource");
    struct shown *shown = NULL;
    if (pages->streams.open >= pages->settings.streams_max) {
        pages->refused++;
        return respond_text(request, MHD_HTTP_SERVICE_UNAVAILABLE, "too many browsers");
    }
    pthread_mutex_lock(&pages->board->lock);
    enum look looked = id ? look(request, id, &shown) : LOOK_GOOD;
    struct MHD_Response *response =
        looked == LOOK_GOOD ? streams_open(&pages->streams, request->http.connection, shown) : NULL;
    pthread_mutex_unlock(&pages->board->lock);
    if (looked != LOOK_GOOD)
        return respond_look(request, looked);
    if (!response)
        return MHD_NO;
    http_stream(&request->http);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    MHD_add_response_header(response, "X-Accel-Buffering", "no");
    return http_respond_with(&request->http, MHD_HTTP_OK, "text/event-stream", response);
}

/* ==== Operators ==== */

struct service_health pages_health(const struct pages *pages)
{
    struct board *board = pages->board;
    struct service_health health = {.alive = clock_ms() - board->turned_ms < STUCK_MS};
    pthread_mutex_lock(&board->lock);
    health.ready = board->rows_loaded;
    pthread_mutex_unlock(&board->lock);
    snprintf(health.said, sizeof health.said, "%s",
             !health.alive   ? "the thread that follows Redis is stuck"
             : !health.ready ? NOT_CONNECTED
                             : "following Redis");
    return health;
}

static enum MHD_Result serve_probe(const struct request *request, bool of_life)
{
    struct service_health health = pages_health(request->pages);
    bool good = of_life ? health.alive : health.ready;
    return respond_text(request, good ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE,
                        good ? "ok" : health.said);
}

struct metric {
    const char *name, *type, *help;
    uint64_t value;
};

static void write_metrics(const struct metric *metrics, size_t count, struct usher_buffer *out)
{
    for (size_t i = 0; i < count; i++) {
        const struct metric *metric = &metrics[i];
        const char *const parts[] = {"# HELP usher_dashboard_",   metric->name, " ", metric->help,
                                     "\n# TYPE usher_dashboard_", metric->name, " ", metric->type,
                                     "\nusher_dashboard_",        metric->name, " "};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
            usher_buffer_text(out, parts[k]);
        usher_buffer_number(out, (int64_t)metric->value);
        usher_buffer_text(out, "\n");
    }
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
    const struct metric metrics[] = {
        {"redis_up", "gauge", "Whether Redis is connected.", board->connected},
        {"resources", "gauge", "Resources in the overview.", board->rows.count},
        {"resources_followed", "gauge", "Resources that somebody looks at, or looked at.",
         board->showns.count},
        {"memory_bytes", "gauge", "Memory of these resources and their history.", size},
        {"messages_total", "counter", "Messages from Redis.", board->messages},
        {"browsers", "gauge", "Streams that are open.", pages->streams.open},
        {"events_total", "counter", "Events sent to browsers.", pages->streams.events},
        {"refused_total", "counter", "Streams that were refused because there were too many.",
         pages->refused},
        {"staff_answered_total", "counter", "Questions of the staff pages that were answered.",
         pages->staff_results[STAFF_ANSWERED]},
        {"staff_busy_total", "counter", "Questions refused because too many waited.",
         pages->staff_results[STAFF_BUSY]},
        {"staff_failed_total", "counter", "Questions that PostgreSQL did not answer in time.",
         pages->staff_results[STAFF_AWAY]},
    };
    pthread_mutex_unlock(&board->lock);
    write_metrics(metrics, sizeof metrics / sizeof *metrics, &body);
    return http_respond(&request->http, MHD_HTTP_OK, "text/plain; version=0.0.4; charset=utf-8",
                        &body);
}

/* ==== Paths ==== */

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
    const char *sent = http_header(&request->http, MHD_HTTP_HEADER_AUTHORIZATION);
    const char *bearer = sent ? after(sent, "Bearer ") : NULL;
    if (!token || (bearer && equal_secrets(bearer, token)))
        return true;
    char *password = NULL;
    char *user = MHD_basic_auth_get_username_password(request->http.connection, &password);
    bool good = password && equal_secrets(password, token);
    MHD_free(user);
    MHD_free(password);
    return good;
}

/* A web page that points its own name here has no token: only without one it would see anything. */
static bool is_named(const struct request *request)
{
    const struct pages_settings *settings = &request->pages->settings;
    return settings->token || http_is_named(&request->http, settings->hosts);
}

static enum MHD_Result serve_path(struct request *request)
{
    const char *path = request->http.path, *rest;
    const struct asset *asset = find_asset(path);
    if (strcmp(path, "/livez") == 0)
        return serve_probe(request, true);
    if (strcmp(path, "/readyz") == 0)
        return serve_probe(request, false);
    if (!is_named(request))
        return respond_text(request, MHD_HTTP_MISDIRECTED_REQUEST,
                            "the dashboard has no token, so it answers to localhost and to "
                            "addresses only: USHER_DASHBOARD_HOSTS names what else it is called");
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

/* Called again after each sleep. */
static enum MHD_Result serve(void *context, struct http_request *http)
{
    struct request *request = ENTRY_OF(http, struct request, http);
    request->pages = context;
    request->sleeper.connection = http->connection;
    return serve_path(request);
}

static void forget(void *context, struct http_request *http)
{
    (void)context;
    usher_buffer_deinit(&ENTRY_OF(http, struct request, http)->ask.body);
}

/* ==== Life ==== */

/* As many as there are descriptors for. */
static unsigned others_max(unsigned streams_max)
{
    struct rlimit limit;
    rlim_t used = streams_max + (rlim_t)OWN_FILES;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= used + OTHERS_MAX)
        return OTHERS_MAX;
    return limit.rlim_cur < used + OTHERS_MIN ? OTHERS_MIN : (unsigned)(limit.rlim_cur - used);
}

static enum usher_status start(struct pages *pages, struct usher_error *err)
{
    const struct pages_settings *settings = &pages->settings;
    const struct http_port_settings port = {
        .key = "USHER_DASHBOARD_LISTEN",
        .listen = settings->listen,
        .connections_max = others_max(settings->streams_max),
        .streams_max = settings->streams_max,
        .silence_s = SILENCE_S,
        .memory_max = MEMORY_MAX,
        .security = pages->security,
        .request_size = sizeof(struct request),
        .serve = serve,
        .ended = forget,
        .context = pages,
    };
    return http_port_open(&port, &pages->port, err);
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
    opened->streams.board = opened->board;
    if (settings->has_staff)
        opened->staff = staff_open(&opened->settings.postgres, staff_answered);
    enum usher_status status = start(opened, err);
    if (status != USHER_OK) {
        pages_close(opened);
        opened = NULL;
    }
    *pages = opened;
    return status;
}

void pages_close(struct pages *pages)
{
    if (!pages)
        return;
    pthread_mutex_lock(&pages->board->lock);
    pages->streams.closing = true;
    streams_wake(&pages->streams);
    pthread_mutex_unlock(&pages->board->lock);
    staff_close(pages->staff);
    http_port_close(pages->port);
    board_close(pages->board);
    free(pages);
}
