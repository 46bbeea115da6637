/* Follows Redis: the rows of all resources, the resources that somebody looks at, the partitions.
 */
#include "worker/dashboard/board.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/base/clock.h"
#include "producer/base/json_member.h"
#include "producer/base/log.h"
#include "producer/base/utf8.h"

enum {
    WAIT_MS = 50,
    STATUS_MS = 1000,
    LIST_MS = 60000, /* prune publishes nothing: the list is read again */
    RECONNECT_MS = 1000,
    RETRY_MS = 500, /* a resource that could not be read whole */
    PAGE = 500,     /* rows read at once */
    ID_MAX = 64,
    KEEP_MS = 24 * 3600 * 1000 /* what nobody looked at, and what is older */
};

/* What only the thread has. */
struct round {
    struct board *board;
    struct redis_follow *follow;
    struct redis_listener listener;
    struct usher_arena arena;
    struct log_limit failures;
    int64_t status_at_ms, list_at_ms, connect_at_ms;
    bool rows_unread;
};

/* ==== Rows ==== */

/* As the contract has ids: whatever else is listed is of nobody who sells. */
static bool is_id(const char *id)
{
    static const char known[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:-";
    size_t size = strspn(id, known);
    return size > 0 && size <= ID_MAX && id[size] == '\0';
}

struct row *board_row(const struct board *board, const char *id)
{
    struct table_node *node = table_find(&board->rows, table_hash_text(id, 0));
    for (; node; node = table_find_next(node)) {
        struct row *row = ENTRY_OF(node, struct row, node);
        if (strcmp(row->id, id) == 0)
            return row;
    }
    return NULL;
}

static struct row *add_row(struct board *board, const char *id)
{
    struct row *row = memory_calloc(1, sizeof *row);
    size_t size = strlen(id) + 1;
    row->id = memory_alloc(size);
    memcpy(row->id, id, size);
    table_add(&board->rows, &row->node, table_hash_text(id, 0));
    return row;
}

static void remove_row(struct board *board, struct row *row)
{
    table_remove(&board->rows, &row->node);
    if (row->changed != 0) {
        list_remove(&board->rows_by_changes, &row->by_changes);
        board->generation++;
    }
    facts_deinit(&row->facts);
    free(row->id);
    free(row);
}

static void row_changed(struct board *board, struct row *row)
{
    if (row->changed == 0)
        list_add(&board->rows_by_changes, &row->by_changes);
    else
        list_renew(&board->rows_by_changes, &row->by_changes);
    row->changed = ++board->changes;
}

/* Counts units as sold now. Those that come back are no negative sale. */
static void count_sold(struct row *row, int64_t sold)
{
    int64_t now = clock_wall_ms() / PACE_MS;
    if (now - row->pace_at >= PACE_COUNT)
        memset(row->pace, 0, sizeof row->pace);
    else
        for (int64_t at = row->pace_at + 1; at <= now; at++)
            row->pace[at % PACE_COUNT] = 0;
    row->pace_at = now > row->pace_at ? now : row->pace_at;
    if (sold > 0)
        row->pace[row->pace_at % PACE_COUNT] += (int32_t)sold;
}

static void take_row(struct board *board, const char *id, const struct redis_hash *hash, bool known)
{
    struct row *row = board_row(board, id);
    const char *state = redis_hash_get(hash, "state");
    bool draft = !facts_know_state(state) || strcmp(state, "draft") == 0;
    if (draft && row)
        remove_row(board, row);
    if (draft)
        return;
    row = row ? row : add_row(board, id);
    int64_t sold = row->facts.numbers[FACT_SOLD], rev = row->facts.numbers[FACT_REV];
    bool first = row->changed == 0;
    facts_read(&row->facts, hash);
    if (known && !first)
        count_sold(row, row->facts.numbers[FACT_SOLD] - sold);
    row->unread = false;
    row->seen = true;
    if (first || rev != row->facts.numbers[FACT_REV])
        row_changed(board, row);
}

void board_write_row(const struct row *row, struct usher_buffer *out)
{
    json_text(out, "{\"resource\":", row->id);
    usher_buffer_text(out, ",");
    facts_write(&row->facts, out);
    if (row->pace_at > clock_wall_ms() / PACE_MS - PACE_COUNT) {
        json_number(out, ",\"pace_at\":", row->pace_at);
        for (int i = 1; i <= PACE_COUNT; i++)
            json_number(out, i == 1 ? ",\"pace\":[" : ",",
                        row->pace[(row->pace_at + i) % PACE_COUNT]);
        usher_buffer_text(out, "]");
    }
    usher_buffer_text(out, "}");
}

/* Reads the rows of ids, and takes them. `known`: units sold since the last time are counted. */
static enum usher_status read_rows(struct round *round, const char *const *ids, uint32_t count,
                                   bool known, struct usher_error *err)
{
    struct redis_hash *hashes = usher_arena_alloc(&round->arena, (count + 1) * sizeof *hashes);
    enum usher_status status =
        redis_follow_hashes(round->follow, ids, count, &round->arena, hashes, err);
    if (status != USHER_OK)
        return status;
    pthread_mutex_lock(&round->board->lock);
    for (uint32_t i = 0; i < count; i++)
        take_row(round->board, ids[i], &hashes[i], known);
    pthread_mutex_unlock(&round->board->lock);
    return USHER_OK;
}

/* Removes rows that a reading of all did not see, or prepares for the next one. */
static void sweep(struct board *board, bool remove)
{
    pthread_mutex_lock(&board->lock);
    struct table_node *node = table_each(&board->rows, NULL);
    while (node) {
        struct row *row = ENTRY_OF(node, struct row, node);
        node = table_each(&board->rows, node);
        if (remove && !row->seen)
            remove_row(board, row);
        else
            row->seen = false;
    }
    board->rows_loaded = board->rows_loaded || remove;
    pthread_mutex_unlock(&board->lock);
}

/* Moves the ids of resources to the front, and returns how many there are. */
static uint32_t keep_ids(const struct redis_ids *ids)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ids->count; i++)
        if (is_id(ids->at[i]))
            ids->at[count++] = ids->at[i];
    return count;
}

static enum usher_status read_all_rows(struct round *round, struct usher_error *err)
{
    struct redis_ids ids = {.count = PAGE};
    sweep(round->board, false);
    for (uint32_t first = 0; ids.count == PAGE; first += PAGE) {
        usher_arena_reset(&round->arena);
        enum usher_status status =
            redis_follow_list(round->follow, first, PAGE, &round->arena, &ids, err);
        uint32_t good = status == USHER_OK ? keep_ids(&ids) : 0;
        if (status == USHER_OK)
            status = read_rows(round, ids.at, good, false, err);
        if (status != USHER_OK)
            return status;
    }
    sweep(round->board, true);
    return USHER_OK;
}

/* Those whose message was not enough. */
static enum usher_status read_unread_rows(struct round *round, struct usher_error *err)
{
    struct board *board = round->board;
    uint32_t count = 0;
    usher_arena_reset(&round->arena);
    const char **ids = usher_arena_alloc(&round->arena, PAGE * sizeof *ids);
    pthread_mutex_lock(&board->lock);
    struct table_node *node = round->rows_unread ? table_each(&board->rows, NULL) : NULL;
    for (; node && count < PAGE; node = table_each(&board->rows, node)) {
        struct row *row = ENTRY_OF(node, struct row, node);
        if (row->unread)
            ids[count++] = usher_arena_text(&round->arena, row->id, strlen(row->id));
    }
    round->rows_unread = count == PAGE;
    pthread_mutex_unlock(&board->lock);
    return count > 0 ? read_rows(round, ids, count, true, err) : USHER_OK;
}

/* ==== Resources that somebody looks at ==== */

static struct shown *find_shown(const struct board *board, const char *id)
{
    struct table_node *node = table_find(&board->showns, table_hash_text(id, 0));
    for (; node; node = table_find_next(node)) {
        struct shown *shown = ENTRY_OF(node, struct shown, node);
        if (strcmp(shown->id, id) == 0)
            return shown;
    }
    return NULL;
}

struct shown *board_look(struct board *board, const char *id)
{
    struct shown *shown = find_shown(board, id);
    if (!board_row(board, id))
        return NULL;
    if (!shown) {
        shown = shown_new(id);
        table_add(&board->showns, &shown->node, table_hash_text(id, 0));
    }
    shown->looked_ms = clock_ms();
    return shown;
}

const char *board_layout(const struct board *board, const char *layout)
{
    struct table_node *node = table_each(&board->showns, NULL);
    for (; node; node = table_each(&board->showns, node)) {
        const struct shown *shown = ENTRY_OF(node, struct shown, node);
        if (shown->loaded && shown->layout && strcmp(shown->facts.texts[FACT_LAYOUT], layout) == 0)
            return shown->layout;
    }
    return NULL;
}

/* Reads one. One that is gone, or whose layout was replaced meanwhile, stays unread for a moment.
 */
static enum usher_status read_shown(struct round *round, struct shown *shown,
                                    struct usher_error *err)
{
    struct redis_picture picture;
    const char *layout = NULL;
    enum usher_status status = USHER_OK;
    usher_arena_reset(&round->arena);
    if (!shown->listening)
        status = redis_follow_listen(round->follow, shown->id, true, &round->listener, err);
    shown->listening = status == USHER_OK;
    if (status == USHER_OK)
        status = redis_follow_read(round->follow, shown->id, &round->arena, &picture, err);
    shown->retry_at_ms = clock_ms() + RETRY_MS;
    if (status != USHER_OK || picture.hash.count == 0)
        return status;
    const char *name = redis_hash_get(&picture.hash, "layout");
    if (*name != '\0')
        status = redis_follow_layout(round->follow, name, &round->arena, &layout, err);
    if (status != USHER_OK || (*name != '\0' && !layout))
        return status;
    shown->retry_at_ms = 0;
    pthread_mutex_lock(&round->board->lock);
    shown_load(shown, &picture, layout, clock_wall_ms());
    shown->unread = false;
    pthread_mutex_unlock(&round->board->lock);
    return USHER_OK;
}

/* The next one that is to be read; NULL: none. Only the thread removes any. */
static struct shown *next_unread(struct board *board, struct shown *after)
{
    pthread_mutex_lock(&board->lock);
    struct table_node *node = table_each(&board->showns, after ? &after->node : NULL);
    int64_t now_ms = clock_ms();
    struct shown *found = NULL;
    for (; node && !found; node = table_each(&board->showns, node)) {
        struct shown *shown = ENTRY_OF(node, struct shown, node);
        found = shown->unread && shown->retry_at_ms <= now_ms ? shown : NULL;
    }
    pthread_mutex_unlock(&board->lock);
    return found;
}

static enum usher_status read_unread_shown(struct round *round, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    struct shown *shown = next_unread(round->board, NULL);
    for (; shown && status == USHER_OK; shown = next_unread(round->board, shown))
        status = read_shown(round, shown, err);
    return status;
}

/* ---- memory ---- */

/* What to give up first: the largest log, or the resource that nobody has looked at for longest. */
struct victims {
    struct shown *largest, *coldest;
    size_t size;
};

static struct victims find_victims(const struct board *board)
{
    struct victims found = {0};
    struct table_node *node = table_each(&board->showns, NULL);
    for (; node; node = table_each(&board->showns, node)) {
        struct shown *shown = ENTRY_OF(node, struct shown, node);
        found.size += shown_size(shown);
        if (!found.largest || shown->log_size > found.largest->log_size)
            found.largest = shown;
        if (shown->viewers == 0 && (!found.coldest || shown->looked_ms < found.coldest->looked_ms))
            found.coldest = shown;
    }
    return found;
}

static enum usher_status stop_showing(struct round *round, struct shown *shown,
                                      struct usher_error *err)
{
    table_remove(&round->board->showns, &shown->node);
    enum usher_status status =
        shown->listening && round->follow
            ? redis_follow_listen(round->follow, shown->id, false, &round->listener, err)
            : USHER_OK;
    shown_free(shown);
    return status;
}

static enum usher_status bound_memory(struct round *round, struct usher_error *err)
{
    struct board *board = round->board;
    enum usher_status status = USHER_OK;
    int64_t day_ago_ms = clock_wall_ms() - KEEP_MS;
    pthread_mutex_lock(&board->lock);
    struct table_node *node = table_each(&board->showns, NULL);
    for (; node; node = table_each(&board->showns, node))
        while (shown_forget(ENTRY_OF(node, struct shown, node), day_ago_ms))
            ;
    for (;;) {
        struct victims found = find_victims(board);
        bool full = found.size > (size_t)board->settings.memory_max;
        bool cold = found.coldest && found.coldest->looked_ms < clock_ms() - KEEP_MS;
        if (status != USHER_OK || (!full && !cold))
            break;
        if (full && found.largest && shown_forget(found.largest, 0))
            continue;
        if (!found.coldest)
            break; /* all of them are looked at right now */
        status = stop_showing(round, found.coldest, err);
    }
    pthread_mutex_unlock(&board->lock);
    return status;
}

/* ==== Messages ==== */

static void take_row_change(struct round *round, const char *text, size_t size)
{
    struct board *board = round->board;
    char id[ID_MAX + 2]; /* one that is too long is seen to be */
    struct change change;
    if (!change_read(text, size, &change, id, sizeof id) || !is_id(id))
        return;
    struct row *row = board_row(board, id);
    row = row ? row : add_row(board, id);
    enum change_effect effect =
        row->facts.text ? change_effect(&change, &row->facts) : CHANGE_READ_ANEW;
    if (strcmp(change.state, "draft") == 0 && effect != CHANGE_OLD)
        effect = CHANGE_READ_ANEW;
    if (effect == CHANGE_READ_ANEW)
        row->unread = round->rows_unread = true;
    if (effect != CHANGE_APPLIES)
        return;
    count_sold(row, change.sold - row->facts.numbers[FACT_SOLD]);
    facts_apply(&row->facts, &change, clock_wall_ms());
    row_changed(board, row);
}

static void take_message(void *context, const char *resource, const char *text, size_t size)
{
    struct round *round = context;
    pthread_mutex_lock(&round->board->lock);
    round->board->messages++;
    struct shown *shown = resource ? find_shown(round->board, resource) : NULL;
    if (!resource)
        take_row_change(round, text, size);
    else if (shown && shown->loaded && !shown->unread)
        shown->unread = shown_take(shown, text, size, clock_wall_ms()) == CHANGE_READ_ANEW;
    pthread_mutex_unlock(&round->board->lock);
}

/* ==== Partitions ==== */

/* All there are, as an owner says; those of resources, as long as none has. */
static void find_partitions(const struct board *board, bool *found)
{
    struct table_node *node = table_each(&board->rows, NULL);
    for (; node; node = table_each(&board->rows, node)) {
        int64_t partition = ENTRY_OF(node, struct row, node)->facts.numbers[FACT_PARTITION];
        if (partition >= 0 && partition < BOARD_PARTITIONS_MAX)
            found[partition] = true;
    }
    for (int32_t i = 0; i < board->partition_total; i++)
        found[i] = true;
}

static int64_t number_of(const struct redis_hash *hash, const char *name)
{
    return strtoll(redis_hash_get(hash, name), NULL, 10);
}

static struct board_partition partition_of(int32_t partition, const struct redis_hash *beat)
{
    struct board_partition found = {
        .partition = partition,
        .alive = beat->count > 0,
        .epoch = number_of(beat, "epoch"),
        .offset = number_of(beat, "offset"),
        .lag = number_of(beat, "lag"),
        .last_decided_ms = number_of(beat, "last_decided_ms"),
    };
    const char *worker = redis_hash_get(beat, "worker");
    utf8_copy(found.worker, sizeof found.worker, worker, strlen(worker));
    return found;
}

/* Takes those of partitions that were found, or have an owner. With the lock held. */
static void take_beats(struct board *board, const int32_t *asked, const struct redis_hash *beats,
                       uint32_t count, const bool *found)
{
    int64_t total = 0;
    board->partition_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        int64_t said = number_of(&beats[i], "partitions");
        total = said > total && said <= BOARD_PARTITIONS_MAX ? said : total;
        if (found[asked[i]] || beats[i].count > 0)
            board->partitions[board->partition_count++] = partition_of(asked[i], &beats[i]);
    }
    board->partition_total = total > 0 ? (int32_t)total : board->partition_total;
}

static enum usher_status read_status(struct round *round, struct usher_error *err)
{
    struct board *board = round->board;
    int32_t asked[BOARD_PARTITIONS_MAX];
    bool found[BOARD_PARTITIONS_MAX] = {false};
    uint32_t count = 0;
    usher_arena_reset(&round->arena);
    pthread_mutex_lock(&board->lock);
    find_partitions(board, found);
    for (int32_t i = 0; i < BOARD_PARTITIONS_MAX; i++)
        if (found[i] || board->partition_total == 0)
            asked[count++] = i;
    pthread_mutex_unlock(&board->lock);
    struct redis_hash *beats = usher_arena_alloc(&round->arena, count * sizeof *beats);
    enum usher_status status =
        redis_follow_beats(round->follow, asked, count, &round->arena, beats, err);
    if (status != USHER_OK)
        return status;
    pthread_mutex_lock(&board->lock);
    take_beats(board, asked, beats, count, found);
    pthread_mutex_unlock(&board->lock);
    return USHER_OK;
}

void board_write_status(const struct board *board, struct usher_buffer *out)
{
    json_number(out, "{\"now_ms\":", clock_wall_ms());
    usher_buffer_text(out, board->connected ? ",\"redis\":true" : ",\"redis\":false");
    usher_buffer_text(out, ",\"alive\":[");
    for (uint32_t i = 0, written = 0; i < board->partition_count; i++)
        if (board->partitions[i].alive) {
            usher_buffer_text(out, written++ == 0 ? "" : ",");
            usher_buffer_number(out, board->partitions[i].partition);
        }
    usher_buffer_text(out, "]}");
}

void board_write_partitions(const struct board *board, struct usher_buffer *out)
{
    json_number(out, "{\"now_ms\":", clock_wall_ms());
    usher_buffer_text(out, board->connected ? ",\"redis\":true" : ",\"redis\":false");
    usher_buffer_text(out, ",\"partitions\":[");
    for (uint32_t i = 0; i < board->partition_count; i++) {
        const struct board_partition *partition = &board->partitions[i];
        json_number(out, i == 0 ? "{\"partition\":" : ",{\"partition\":", partition->partition);
        if (partition->alive) {
            json_text(out, ",\"worker\":", partition->worker);
            json_number(out, ",\"epoch\":", partition->epoch);
            json_number(out, ",\"offset\":", partition->offset);
            json_number(out, ",\"lag\":", partition->lag);
            json_number(out, ",\"last_decided_ms\":", partition->last_decided_ms);
        }
        usher_buffer_text(out, "}");
    }
    usher_buffer_text(out, "]}\n");
}

/* ==== The thread ==== */

static void set_connected(struct round *round, bool connected)
{
    struct board *board = round->board;
    pthread_mutex_lock(&board->lock);
    board->connected = connected;
    struct table_node *node = connected ? NULL : table_each(&board->showns, NULL);
    for (; node; node = table_each(&board->showns, node)) {
        struct shown *shown = ENTRY_OF(node, struct shown, node);
        shown->listening = false;
        shown->unread = true;
    }
    board->status_number++;
    pthread_mutex_unlock(&board->lock);
}

static enum usher_status connect_redis(struct round *round, struct usher_error *err)
{
    if (clock_ms() < round->connect_at_ms) {
        struct timespec pause = {.tv_nsec = WAIT_MS * 1000000};
        nanosleep(&pause, NULL);
        return USHER_OK;
    }
    round->connect_at_ms = clock_ms() + RECONNECT_MS;
    enum usher_status status =
        redis_follow_open(&round->board->settings.redis, &round->follow, err);
    if (status == USHER_OK)
        status = read_all_rows(round, err);
    if (status != USHER_OK)
        return status;
    round->list_at_ms = clock_ms() + LIST_MS;
    round->status_at_ms = 0;
    set_connected(round, true);
    log_recovery(&round->failures, NULL, "connected to Redis");
    return USHER_OK;
}

/* What is done now and then. */
static enum usher_status look_around(struct round *round, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    if (clock_ms() >= round->list_at_ms) {
        round->list_at_ms = clock_ms() + LIST_MS;
        status = read_all_rows(round, err);
    }
    if (status != USHER_OK || clock_ms() < round->status_at_ms)
        return status;
    round->status_at_ms = clock_ms() + STATUS_MS;
    status = read_status(round, err);
    pthread_mutex_lock(&round->board->lock);
    round->board->status_number++;
    pthread_mutex_unlock(&round->board->lock);
    return status == USHER_OK ? bound_memory(round, err) : status;
}

static enum usher_status turn(struct round *round, struct usher_error *err)
{
    if (!round->follow)
        return connect_redis(round, err);
    enum usher_status status = redis_follow_wait(round->follow, WAIT_MS, &round->listener, err);
    if (status == USHER_OK)
        status = read_unread_shown(round, err);
    if (status == USHER_OK)
        status = read_unread_rows(round, err);
    return status == USHER_OK ? look_around(round, err) : status;
}

static void *run(void *argument)
{
    struct board *board = argument;
    struct round round = {.board = board, .listener = {.context = &round, .change = take_message}};
    while (!board->stopping) {
        struct usher_error err = {0};
        board->turned_ms = clock_ms();
        if (turn(&round, &err) != USHER_OK) {
            log_failure(&round.failures, NULL, LOG_LEVEL_WARNING, "%s", err.text);
            redis_follow_close(round.follow);
            round.follow = NULL;
            set_connected(&round, false);
        }
        board->settings.turned(board->settings.context, board);
    }
    redis_follow_close(round.follow);
    usher_arena_deinit(&round.arena);
    return NULL;
}

struct board *board_open(const struct board_settings *settings)
{
    struct board *board = memory_calloc(1, sizeof *board);
    board->settings = *settings;
    board->turned_ms = clock_ms();
    pthread_mutex_init(&board->lock, NULL);
    int failed = pthread_create(&board->thread, NULL, run, board);
    assert(!failed);
    return board;
}

void board_close(struct board *board)
{
    struct table_node *node;
    board->stopping = true;
    pthread_join(board->thread, NULL);
    while ((node = table_each(&board->rows, NULL)))
        remove_row(board, ENTRY_OF(node, struct row, node));
    while ((node = table_each(&board->showns, NULL))) {
        table_remove(&board->showns, node);
        shown_free(ENTRY_OF(node, struct shown, node));
    }
    table_deinit(&board->rows);
    table_deinit(&board->showns);
    pthread_mutex_destroy(&board->lock);
    free(board);
}
