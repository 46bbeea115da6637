/*
 * Follows all answers, each once and in order, over restarts: follow BROKERS FILE
 *
 * The file has what the answers came to (here: how many bookings were confirmed) and how far each
 * partition was followed. Both are written at once, by a rename, so that neither is ever ahead of
 * the other. A service does the same with one transaction of its database. Ends after ten seconds
 * without an answer.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <usher/client.h>
#include <usher/message.h>

enum {
    PARTITIONS_MAX = 1000,
    QUIET_MS = 10000,
};

struct state {
    int64_t confirmed;
    struct usher_position positions[PARTITIONS_MAX]; /* by partition; seq 0: none yet */
};

static void read_state(const char *path, struct state *state)
{
    FILE *file = fopen(path, "r");
    struct usher_position at;
    if (!file)
        return; /* the first start */
    if (fscanf(file, "confirmed %" SCNd64 "\n", &state->confirmed) == 1)
        while (fscanf(file, "%" SCNd32 " %" SCNd64 " %" SCNd64 "\n", &at.partition, &at.seq,
                      &at.offset) == 3)
            if (at.partition >= 0 && at.partition < PARTITIONS_MAX)
                state->positions[at.partition] = at;
    fclose(file);
}

static bool write_state(const char *path, const struct state *state)
{
    char name[4096];
    snprintf(name, sizeof name, "%s.new", path);
    FILE *file = fopen(name, "w");
    if (!file)
        return false;
    fprintf(file, "confirmed %" PRId64 "\n", state->confirmed);
    for (int32_t p = 0; p < PARTITIONS_MAX; p++) {
        const struct usher_position *at = &state->positions[p];
        if (at->seq > 0)
            fprintf(file, "%" PRId32 " %" PRId64 " %" PRId64 "\n", p, at->seq, at->offset);
    }
    bool written = ferror(file) == 0;
    return fclose(file) == 0 && written && rename(name, path) == 0;
}

/* Takes one answer in: what it does, and that it was done, belong together. */
static bool take(const char *path, struct state *state, const struct usher_reply *reply)
{
    struct usher_arena arena = {0};
    struct usher_answer answer;
    struct usher_error err;
    if (reply->partition >= PARTITIONS_MAX)
        return false;
    if (usher_answer_decode(reply->data, reply->size, &arena, &answer, &err) == USHER_OK)
        state->confirmed += answer.outcome == USHER_CONFIRMED && !answer.replayed;
    usher_arena_deinit(&arena);
    state->positions[reply->partition] =
        (struct usher_position){reply->partition, reply->seq, reply->offset};
    return write_state(path, state);
}

static enum usher_status follow(struct usher_watch *watch, const char *path, struct state *state,
                                struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    while (status == USHER_OK || status == USHER_HALT) {
        struct usher_reply reply;
        status = usher_watch_next(watch, QUIET_MS, &reply, err);
        if (status == USHER_HALT) /* they are in PostgreSQL, in the view usher.history */
            fprintf(stderr, "follow: %s\n", err->text);
        if (status == USHER_OK && !take(path, state, &reply)) {
            usher_error_set(err, USHER_EXIT_OUTPUT, "could not write \"%s\"", path);
            status = USHER_FATAL;
        }
    }
    return status == USHER_RETRY ? USHER_OK : status;
}

int main(int argc, char **argv)
{
    static struct state state;
    struct usher_error err = {.text = ""};
    struct usher_watch *watch = NULL;
    if (argc != 3) {
        fprintf(stderr, "usage: follow BROKERS FILE\n");
        return USHER_EXIT_USAGE;
    }
    read_state(argv[2], &state);
    struct usher_position known[PARTITIONS_MAX];
    size_t known_count = 0;
    for (int32_t p = 0; p < PARTITIONS_MAX; p++)
        if (state.positions[p].seq > 0)
            known[known_count++] = state.positions[p];
    const struct usher_watch_settings settings = {
        .kafka = {.brokers = argv[1], .topic_prefix = getenv("USHER_TOPIC_PREFIX")},
        .client_id = "example",
        .from_beginning = true, /* the partitions that have no position yet */
        .positions = known,
        .position_count = known_count,
    };
    enum usher_status status = usher_watch_open(&settings, &watch, &err);
    if (status == USHER_OK)
        status = follow(watch, argv[2], &state, &err);
    usher_watch_close(watch);
    printf("%" PRId64 " confirmed\n", state.confirmed);
    if (status == USHER_OK)
        return 0;
    fprintf(stderr, "follow: %s\n", err.text);
    return (int)err.exit_code;
}
