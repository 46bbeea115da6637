/* Questions of the staff pages, and the threads that ask PostgreSQL. */
#include "worker/dashboard/staff.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/json_member.h"
#include "producer/base/log.h"
#include "producer/base/utf8.h"

enum {
    THREADS = 2,
    WAITING_MAX = 32,
    PATIENCE_MS = 5000, /* how long a question may wait for a thread */
    KEPT_MS = 60000,    /* how old an answer to all may be: it is counted from many decisions */
    ROWS_MAX = 500,
    REFUSALS_MAX = 5000, /* the page of a resource picks its own */
    DOOR_MAX = 50000,    /* all of a hall are needed at its doors, and where it is cancelled */
    NUMBER_DIGITS = 9
};

/* By the filters of the view, in its order. */
static const struct {
    const char *name;
    enum pg_view view;
    uint32_t rows_max;
    const char *filters[PG_VIEW_FILTERS];
} questions[] = {
    {"resources", PG_VIEW_RESOURCES, ROWS_MAX, {"resource"}},
    {"bookings",
     PG_VIEW_BOOKINGS,
     ROWS_MAX,
     {"customer", "resource", "booking", "state", "section", "unit", "cart"}},
    {"carts", PG_VIEW_CART, ROWS_MAX, {"cart"}},
    {"curve", PG_VIEW_CURVE, ROWS_MAX, {"resource"}},
    {"door", PG_VIEW_DOOR, DOOR_MAX, {"resource", "night"}},
    {"history",
     PG_VIEW_HISTORY,
     ROWS_MAX,
     {"customer", "resource", "request", "booking", NULL, "cart"}},
    {"refunds", PG_VIEW_BOOKINGS, DOOR_MAX, {"customer", "resource", "booking", "state"}},
    {"refusals", PG_VIEW_REFUSALS, REFUSALS_MAX, {NULL}},
    {"takings", PG_VIEW_TAKINGS, ROWS_MAX, {NULL}},
    {"waiting", PG_VIEW_WAITING, ROWS_MAX, {"resource", "customer"}},
};

enum {
    QUESTIONS = sizeof questions / sizeof *questions
};

/* An answer that is the same for all: it is read once for those who ask meanwhile. */
struct staff_kept {
    bool reading;
    struct list followers;
    struct usher_buffer body;
    int64_t until_ms; /* CLOCK_MONOTONIC; 0: there is none */
};

/* A thread with its connection. */
struct asker {
    struct staff *staff;
    pthread_t thread;
    struct pg_views *views; /* NULL: not connected */
    bool is_failing;        /* the log has it */
};

struct staff {
    const struct pg_settings *settings;
    void (*answered)(struct staff_ask *ask);
    pthread_mutex_t lock; /* of what follows but the askers */
    pthread_cond_t asked;
    struct list waiting;
    bool stopping;
    struct staff_kept kept[QUESTIONS]; /* of those without a filter */
    struct asker askers[THREADS];
};

/* ==== Questions ==== */

/* Where there is a filter, all that was ever booked would be read without one of these. */
static const char *const enough[] = {"customer", "resource", "cart", "booking", "request", NULL};

/* These are of a resource. */
static const char *const parts[] = {"section", "unit", "night", NULL};

static bool is_among(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names;
}

static bool is_number(const char *text)
{
    size_t size = strspn(text, "0123456789");
    return size > 0 && size <= NUMBER_DIGITS && text[size] == '\0';
}

static bool is_good(const char *name, const char *value)
{
    return utf8_is_valid(value, strlen(value)) && (strcmp(name, "unit") != 0 || is_number(value));
}

/* Makes a question of it: OPEN, or UNKNOWN or BAD. */
static enum staff_result read_question(struct staff *staff, const char *name, staff_filter *filter,
                                       void *context, struct staff_ask *ask)
{
    struct pg_view_question *question = &ask->question;
    size_t i = 0;
    bool good = true;
    while (i < QUESTIONS && strcmp(questions[i].name, name) != 0)
        i++;
    if (i == QUESTIONS)
        return STAFF_UNKNOWN;
    bool is_enough = !questions[i].filters[0];
    ask->kept = is_enough ? &staff->kept[i] : NULL;
    *question = (struct pg_view_question){
        .view = questions[i].view,
        .limit = questions[i].rows_max + 1,
    };
    for (size_t k = 0; k < PG_VIEW_FILTERS; k++) {
        const char *filtered = questions[i].filters[k];
        const char *value = filtered ? filter(context, filtered) : NULL;
        question->filters[k] = value;
        if (!value)
            continue;
        is_enough = is_enough || is_among(enough, filtered);
        good = good && is_good(filtered, value) &&
               (!is_among(parts, filtered) || filter(context, "resource"));
    }
    return is_enough && good ? STAFF_OPEN : STAFF_BAD;
}

/* ==== Answers ==== */

/*
 * The limit is one more than are shown. `away`: rows are missing, of one of several databases, or
 * of partitions that are in none of them: then `missing` says why; else it is NULL.
 */
static void write_rows(const struct pg_view_rows *rows, int64_t limit, bool away,
                       const char *missing, struct usher_buffer *out)
{
    json_number(out, "{\"at_ms\":", clock_wall_ms());
    usher_buffer_text(out, ",\"rows\":[");
    for (uint32_t i = 0; i < rows->count && i + 1 < limit; i++) {
        usher_buffer_text(out, i > 0 ? ",\n" : "\n");
        usher_buffer_append(out, rows->values[i], rows->sizes[i]);
    }
    usher_buffer_text(out, rows->count == limit ? "],\"more\":true" : "],\"more\":false");
    usher_buffer_text(out, away ? ",\"away\":true" : "");
    if (missing)
        json_text(out, ",\"missing\":", missing);
    usher_buffer_text(out, "}\n");
}

static enum usher_status connect_views(struct asker *asker, struct usher_error *err)
{
    const struct pg_settings *settings = asker->staff->settings;
    enum usher_status status = pg_views_open(settings, &asker->views, err);
    return status == USHER_OK ? pg_views_limit(asker->views, settings->statement_timeout_ms, err)
                              : status;
}

/* Says once that nothing, or not all, can be answered, and that it can be again. */
static void log_answer(struct asker *asker, bool is_whole, const char *why)
{
    if (!is_whole && !asker->is_failing)
        log_warning(NULL, "could not answer the staff pages: %s", why);
    if (is_whole && asker->is_failing)
        log_info(NULL, "the staff pages are answered again");
    asker->is_failing = !is_whole;
}

/* On anything but OK the connection is closed. */
static enum usher_status try_to_ask(struct asker *asker, struct staff_ask *ask,
                                    struct usher_error *err)
{
    struct usher_arena arena = {0};
    struct pg_view_rows rows;
    enum usher_status status = asker->views ? USHER_OK : connect_views(asker, err);
    if (status == USHER_OK)
        status = pg_views_ask(asker->views, &ask->question, &arena, &rows, err);
    if (status == USHER_OK) {
        bool is_whole = pg_views_missing(asker->views, err) == USHER_OK;
        write_rows(&rows, ask->question.limit, !is_whole, pg_views_homeless(asker->views),
                   &ask->body);
        log_answer(asker, is_whole, err->text);
    } else {
        pg_views_close(asker->views);
        asker->views = NULL;
    }
    usher_arena_deinit(&arena);
    return status;
}

/* A connection that has been idle may be gone: then a new one is tried. */
static void answer(struct asker *asker, struct staff_ask *ask)
{
    struct usher_error err;
    bool was_open = asker->views;
    int64_t since_ms = clock_ms();
    enum usher_status status = try_to_ask(asker, ask, &err);
    if (status == USHER_RETRY && was_open &&
        clock_ms() - since_ms < asker->staff->settings->statement_timeout_ms)
        status = try_to_ask(asker, ask, &err);
    ask->result = status == USHER_OK ? STAFF_ANSWERED : STAFF_AWAY;
    if (status != USHER_OK)
        log_answer(asker, false, err.text);
}

/* ---- answers to all ---- */

/* Keeps what was read, and returns those who asked for it meanwhile. */
static struct list keep(struct staff *staff, struct staff_ask *ask)
{
    struct staff_kept *kept = ask->kept;
    pthread_mutex_lock(&staff->lock);
    struct list followers = kept->followers;
    kept->followers = (struct list){0};
    kept->reading = false;
    if (ask->result == STAFF_ANSWERED) {
        kept->body.size = 0;
        usher_buffer_append(&kept->body, ask->body.at, ask->body.size);
        kept->until_ms = clock_ms() + KEPT_MS;
    } else if (kept->body.size > 0) { /* the last one, which says when it was read */
        ask->body.size = 0;
        usher_buffer_append(&ask->body, kept->body.at, kept->body.size);
        ask->result = STAFF_ANSWERED;
    }
    pthread_mutex_unlock(&staff->lock);
    return followers;
}

/* Tells whoever asked. */
static void tell(struct staff *staff, struct staff_ask *ask)
{
    struct list followers = ask->kept ? keep(staff, ask) : (struct list){0};
    struct list_node *node;
    while ((node = list_take(&followers))) {
        struct staff_ask *follower = ENTRY_OF(node, struct staff_ask, node);
        follower->result = ask->result;
        usher_buffer_append(&follower->body, ask->body.at, ask->body.size);
        staff->answered(follower);
    }
    staff->answered(ask);
}

/* ==== The threads ==== */

/* NULL: it is to stop, and nothing waits. */
static struct staff_ask *next_ask(struct staff *staff, bool *is_late)
{
    pthread_mutex_lock(&staff->lock);
    while (staff->waiting.count == 0 && !staff->stopping)
        pthread_cond_wait(&staff->asked, &staff->lock);
    struct list_node *node = list_take(&staff->waiting);
    struct staff_ask *ask = node ? ENTRY_OF(node, struct staff_ask, node) : NULL;
    *is_late = ask && (staff->stopping || clock_ms() - ask->asked_ms > PATIENCE_MS);
    pthread_mutex_unlock(&staff->lock);
    return ask;
}

static void *run(void *context)
{
    struct asker *asker = context;
    struct staff_ask *ask;
    bool is_late;
    while ((ask = next_ask(asker->staff, &is_late))) {
        if (is_late)
            ask->result = STAFF_BUSY;
        else
            answer(asker, ask);
        tell(asker->staff, ask);
    }
    pg_views_close(asker->views);
    return NULL;
}

/* OPEN: it will be answered, and is no longer the caller's. */
static enum staff_result admit(struct staff *staff, struct staff_ask *ask)
{
    struct staff_kept *kept = ask->kept;
    enum staff_result result = STAFF_OPEN;
    ask->asked_ms = clock_ms();
    pthread_mutex_lock(&staff->lock);
    if (kept && ask->asked_ms < kept->until_ms) {
        usher_buffer_append(&ask->body, kept->body.at, kept->body.size);
        result = STAFF_ANSWERED;
    } else if (kept && kept->reading) {
        list_add(&kept->followers, &ask->node);
    } else if (staff->waiting.count < WAITING_MAX) {
        if (kept)
            kept->reading = true;
        list_add(&staff->waiting, &ask->node);
        pthread_cond_signal(&staff->asked);
    } else {
        result = STAFF_BUSY;
    }
    pthread_mutex_unlock(&staff->lock);
    return result;
}

void staff_ask(struct staff *staff, const char *name, staff_filter *filter, void *context,
               struct staff_ask *ask)
{
    enum staff_result result = read_question(staff, name, filter, context, ask);
    if (result == STAFF_OPEN)
        result = admit(staff, ask);
    if (result == STAFF_OPEN)
        return;
    ask->result = result;
    staff->answered(ask);
}

/* ==== Life ==== */

struct staff *staff_open(const struct pg_settings *settings,
                         void (*answered)(struct staff_ask *ask))
{
    struct staff *staff = memory_calloc(1, sizeof *staff);
    staff->settings = settings;
    staff->answered = answered;
    pthread_mutex_init(&staff->lock, NULL);
    pthread_cond_init(&staff->asked, NULL);
    for (size_t i = 0; i < THREADS; i++) {
        staff->askers[i].staff = staff;
        int failed = pthread_create(&staff->askers[i].thread, NULL, run, &staff->askers[i]);
        assert(!failed);
    }
    return staff;
}

void staff_close(struct staff *staff)
{
    if (!staff)
        return;
    pthread_mutex_lock(&staff->lock);
    staff->stopping = true;
    pthread_cond_broadcast(&staff->asked);
    pthread_mutex_unlock(&staff->lock);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(staff->askers[i].thread, NULL);
    pthread_cond_destroy(&staff->asked);
    pthread_mutex_destroy(&staff->lock);
    for (size_t i = 0; i < QUESTIONS; i++)
        usher_buffer_deinit(&staff->kept[i].body);
    free(staff);
}
