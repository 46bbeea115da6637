/*
 * Fuzzes the decoding of requests and answers, for clang's libFuzzer; not a part of `make test`.
 *
 *     cd producer
 *     clang -std=c11 -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -I../include -I. \
 *         ../tests/fuzz/fuzz_request.c status.c memory.c time.c chart.c message_*.c request_*.c \
 *         definition_*.c answer_*.c -ljansson -lcrypto -o ../build/fuzz_request
 *     mkdir ../build/found
 *     ../build/fuzz_request ../build/found ../tests/unit/corpus ../schema/messages/examples
 */
#include <assert.h>
#include <string.h>

#include "usher/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is accepted must come back from its own encoding, unchanged. */
static void check_round_trip(const struct usher_request *request, struct usher_arena *arena)
{
    struct usher_buffer once = {NULL, 0, 0};
    struct usher_buffer twice = {NULL, 0, 0};
    struct usher_request again;
    usher_request_encode(request, &once);
    enum usher_status status = usher_request_decode(once.at, once.size, arena, &again, NULL);
    assert(status == USHER_OK);
    usher_request_encode(&again, &twice);
    assert(once.size == twice.size && memcmp(once.at, twice.at, once.size) == 0);
    usher_buffer_deinit(&once);
    usher_buffer_deinit(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct usher_arena arena = {NULL, NULL, 0};
    struct usher_request request;
    struct usher_answer answer;
    struct usher_error err = {USHER_EXIT_DONE, ""};
    if (usher_request_decode(data, size, &arena, &request, &err) == USHER_OK)
        check_round_trip(&request, &arena);
    else
        assert(err.text[0] != '\0');
    enum usher_status status = usher_answer_decode(data, size, &arena, &answer, &err);
    assert(status == USHER_OK || status == USHER_REJECT);
    usher_arena_deinit(&arena);
    return 0;
}
