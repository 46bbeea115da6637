/*
 * A booking's texts and lines, each one allocation. PURE.
 */
#include "worker/inventory/booking.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"

bool booking_state_may_become(enum booking_state from, enum booking_state to)
{
    static const bool legal[BOOKING_STATE_COUNT][BOOKING_STATE_COUNT] = {
        [BOOKING_NONE] = {[BOOKING_HELD] = true,
                          [BOOKING_CONFIRMED] = true,
                          [BOOKING_BLOCKED] = true,
                          [BOOKING_WAITING] = true},
        [BOOKING_HELD] = {[BOOKING_HELD] = true,
                          [BOOKING_CONFIRMED] = true,
                          [BOOKING_RELEASED] = true,
                          [BOOKING_EXPIRED] = true},
        [BOOKING_CONFIRMED] = {[BOOKING_CONFIRMED] = true, [BOOKING_CANCELLED] = true},
        [BOOKING_BLOCKED] = {[BOOKING_BLOCKED] = true, [BOOKING_RELEASED] = true},
        [BOOKING_WAITING] = {[BOOKING_HELD] = true, [BOOKING_LEFT] = true},
        [BOOKING_EXPIRED] = {[BOOKING_CONFIRMED] = true, [BOOKING_RELEASED] = true},
    };
    return legal[from][to];
}

bool booking_state_owns_units(enum booking_state state)
{
    return state == BOOKING_HELD || state == BOOKING_CONFIRMED || state == BOOKING_BLOCKED;
}

uint32_t booking_owned_lines(const struct booking *booking)
{
    return booking_state_owns_units(booking->state) ? booking->content->line_count : 0;
}

static size_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static const char *text_put(char **at, const char *text)
{
    size_t size = text_size(text);
    if (size == 0)
        return NULL;
    char *copy = memcpy(*at, text, size);
    *at += size;
    return copy;
}

/* ---- content ---- */

static uint32_t number_count(const struct line *line)
{
    return line->units ? line->unit_count : 0;
}

static size_t content_size(const struct line *lines, uint32_t line_count)
{
    size_t size = sizeof(struct content) + line_count * sizeof *lines;
    for (uint32_t i = 0; i < line_count; i++)
        size += number_count(&lines[i]) * sizeof *lines->units + text_size(lines[i].rate);
    return size;
}

struct content *content_create(const struct line *lines, uint32_t line_count)
{
    struct content *content = memory_alloc(content_size(lines, line_count));
    content->line_count = line_count;
    content->unit_count = content->number_count = 0;
    int32_t *units = (int32_t *)(void *)&content->lines[line_count];
    for (uint32_t i = 0; i < line_count; i++) {
        content->lines[i] = lines[i];
        content->unit_count += lines[i].unit_count;
        if (!lines[i].units)
            continue;
        content->lines[i].units = units;
        memcpy(units, lines[i].units, lines[i].unit_count * sizeof *units);
        units += lines[i].unit_count;
        content->number_count += lines[i].unit_count;
    }
    char *texts = (char *)units;
    for (uint32_t i = 0; i < line_count; i++)
        content->lines[i].rate = text_put(&texts, lines[i].rate);
    return content;
}

static bool rate_equal(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool line_equal(const struct line *a, const struct line *b)
{
    return a->item == b->item && a->pool == b->pool && a->seat_hash == b->seat_hash &&
           a->price == b->price && a->unit_count == b->unit_count && rate_equal(a->rate, b->rate) &&
           !a->units == !b->units &&
           (!a->units || memcmp(a->units, b->units, a->unit_count * sizeof *a->units) == 0);
}

bool content_equal(const struct content *a, const struct content *b)
{
    bool equal = a == b || a->line_count == b->line_count;
    for (uint32_t i = 0; equal && a != b && i < a->line_count; i++)
        equal = line_equal(&a->lines[i], &b->lines[i]);
    return equal;
}

/* ---- texts ---- */

void booking_set_texts(struct booking *booking, const struct booking_row *row)
{
    char *texts =
        memory_alloc(text_size(row->request_id) + text_size(row->client) +
                     text_size(row->customer) + text_size(row->cart) + text_size(row->payment) +
                     text_size(row->note) + text_size(row->meta) + text_size(row->wants));
    assert(texts && row->request_id);
    char *at = texts;
    booking->request_id = text_put(&at, row->request_id);
    booking->client = text_put(&at, row->client);
    booking->customer = text_put(&at, row->customer);
    booking->cart = text_put(&at, row->cart);
    booking->payment = text_put(&at, row->payment);
    booking->note = text_put(&at, row->note);
    booking->meta = text_put(&at, row->meta);
    booking->wants = text_put(&at, row->wants);
    free(booking->texts); /* last: the row may point into it */
    booking->texts = texts;
}

struct booking_row booking_row_of(const struct booking *booking)
{
    return (struct booking_row){
        .no = booking->no,
        .resource_no = booking->resource_no,
        .state = booking->state,
        .request_id = booking->request_id,
        .client = booking->client,
        .customer = booking->customer,
        .cart = booking->cart,
        .payment = booking->payment,
        .note = booking->note,
        .meta = booking->meta,
        .op = booking->op,
        .created_ms = booking->created_ms,
        .expires_ms = booking->expires_ms,
        .ttl_s = booking->ttl_s,
        .total = booking->total,
        .wants = booking->wants,
        .sold_ms = USHER_ABSENT,
    };
}

void booking_deinit(struct booking *booking)
{
    if (booking->stored_content != booking->content)
        free(booking->stored_content);
    free(booking->content);
    free(booking->texts);
}
