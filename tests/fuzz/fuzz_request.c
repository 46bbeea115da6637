/*
 * Fuzzes the decoding of requests and answers, and of what the database keeps of a definition, for
 * clang's libFuzzer: `make fuzz`, not a part of `make test`.
 */
#include <assert.h>
#include <string.h>

#include "producer/codec/stored.h"
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

/* Plans become charts, which can be read again. */
static void check_plan(const char *json, size_t size, struct usher_arena *arena)
{
    const struct usher_section *sections = NULL;
    uint32_t count = 0;
    struct usher_error err = {USHER_EXIT_DONE, ""};
    struct usher_buffer chart = {NULL, 0, 0};
    if (usher_plan_decode(json, size, arena, &sections, &count, &err) != USHER_OK) {
        assert(err.text[0] != '\0');
        return;
    }
    usher_chart_encode(sections, count, &chart);
    enum usher_status status =
        usher_chart_decode(chart.at, chart.size, arena, &sections, &count, NULL);
    assert(status == USHER_OK);
    usher_buffer_deinit(&chart);
}

static void check_terms(const char *json, size_t size, struct usher_arena *arena)
{
    struct stored_terms terms;
    const struct usher_rate *rates = NULL;
    uint32_t count = 0;
    struct usher_buffer out = {NULL, 0, 0};
    if (stored_terms_decode(json, size, arena, &terms, NULL) == USHER_OK) {
        stored_terms_encode(&terms, &out);
        enum usher_status status = stored_terms_decode(out.at, out.size, arena, &terms, NULL);
        assert(status == USHER_OK);
    }
    out.size = 0;
    if (stored_rates_decode(json, size, arena, &rates, &count, NULL) == USHER_OK) {
        stored_rates_encode(rates, count, &out);
        enum usher_status status =
            stored_rates_decode(out.at, out.size, arena, &rates, &count, NULL);
        assert(status == USHER_OK);
    }
    usher_buffer_deinit(&out);
}

static void check_wants(const char *json, size_t size, struct usher_arena *arena)
{
    struct usher_request wants;
    struct usher_buffer out = {NULL, 0, 0};
    if (wants_decode(json, size, arena, &wants, NULL) != USHER_OK)
        return;
    wants_encode(&wants, &out);
    enum usher_status status = wants_decode(out.at, out.size, arena, &wants, NULL);
    assert(status == USHER_OK);
    usher_buffer_deinit(&out);
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
    check_plan((const char *)data, size, &arena);
    check_terms((const char *)data, size, &arena);
    check_wants((const char *)data, size, &arena);
    usher_arena_deinit(&arena);
    return 0;
}
