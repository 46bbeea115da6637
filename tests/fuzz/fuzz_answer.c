/*
 * Fuzzes what is read back from the topic of answers: by the scan of a takeover, by clients, and by
 * those who print answers for people.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "producer/client/client.h"
#include "producer/codec/answer_scan.h"
#include "producer/program/answer_text.h"
#include "usher/message.h"
#include "worker/kafka/answer_tail.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct terminal nowhere;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    nowhere.out = fopen("/dev/null", "w");
    return nowhere.out ? 0 : 1;
}

/* What a client does with each record of others, and of its own. */
static void find_waiting(const char *data, size_t size)
{
    const char *id;
    size_t id_size;
    int64_t seq;
    struct pending pending = {0};
    struct pending_entry *entry = pending_add(&pending);
    pending_await(&pending, entry, "r-1", "hall");
    if (answer_scan_seq(data, size, &seq) && answer_scan_id(data, size, &id, &id_size) &&
        !answer_scan_unrequested(data, size) &&
        pending_find(&pending, id, id_size, data, size < 64 ? size : 64))
        pending_settle(&pending, entry);
    (void)answer_scan_outcome(data, size);
    (void)answer_scan_reason(data, size);
    pending_deinit(&pending);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t seq = -1;
    struct usher_arena arena = {NULL, NULL, 0};
    struct usher_answer answer;
    struct usher_error err = {USHER_EXIT_DONE, ""};
    if (answer_tail_seq(data, size, &seq))
        assert(seq >= 0);
    find_waiting((const char *)data, size);
    enum usher_status status = usher_answer_decode(data, size, &arena, &answer, &err);
    assert(status == USHER_OK || (status == USHER_REJECT && err.text[0] != '\0'));
    if (status == USHER_OK) {
        answer_print(&answer, &nowhere);
        answer_print_event(&answer, &nowhere);
    }
    usher_arena_deinit(&arena);
    return 0;
}
