/* See same_rows.h. */
#include "same_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void assert_text(const char *expected, const char *found)
{
    if (!expected)
        assert_null(found);
    else
        assert_string_equal(expected, found ? found : "(null)");
}

void same_resource(const struct resource_row *expected, const struct resource_row *found)
{
    assert_int_equal(expected->no, found->no);
    assert_text(expected->id, found->id);
    assert_int_equal(expected->state, found->state);
    assert_text(expected->name, found->name);
    assert_text(expected->venue, found->venue);
    assert_text(expected->description, found->description);
    assert_text(expected->timezone, found->timezone);
    assert_text(expected->currency, found->currency);
    assert_int_equal(expected->starts_ms, found->starts_ms);
    assert_int_equal(expected->ends_ms, found->ends_ms);
    assert_int_equal(expected->hold_ttl_s, found->hold_ttl_s);
    assert_int_equal(expected->opens_ms, found->opens_ms);
    assert_int_equal(expected->closes_ms, found->closes_ms);
    assert_int_equal(expected->strategy, found->strategy);
    assert_text(expected->terms, found->terms);
    assert_text(expected->cancelling, found->cancelling);
    assert_int_equal(expected->unserved, found->unserved);
    assert_int_equal(expected->takings, found->takings);
    assert_int_equal(expected->promised, found->promised);
    assert_int_equal(expected->rev, found->rev);
    assert_text(expected->chart, found->chart);
}

void same_pool(const struct pool_row *expected, const struct pool_row *found)
{
    assert_int_equal(expected->no, found->no);
    assert_int_equal(expected->resource_no, found->resource_no);
    assert_int_equal(expected->index, found->index);
    assert_int_equal(expected->kind, found->kind);
    assert_text(expected->name, found->name);
    assert_int_equal(expected->night, found->night);
    assert_text(expected->title, found->title);
    assert_int_equal(expected->capacity, found->capacity);
    assert_int_equal(expected->overbook, found->overbook);
    assert_int_equal(expected->price, found->price);
    assert_text(expected->rates, found->rates);
    assert_text(expected->properties, found->properties);
    assert_int_equal(expected->taken.held, found->taken.held);
    assert_int_equal(expected->taken.sold, found->taken.sold);
    assert_int_equal(expected->taken.blocked, found->taken.blocked);
}

void same_booking(const struct booking_row *expected, const struct booking_row *found)
{
    assert_int_equal(expected->no, found->no);
    assert_int_equal(expected->resource_no, found->resource_no);
    assert_int_equal(expected->state, found->state);
    assert_int_equal(expected->state, found->from);
    assert_text(expected->request_id, found->request_id);
    assert_text(expected->client, found->client);
    assert_text(expected->customer, found->customer);
    assert_text(expected->cart, found->cart);
    assert_text(expected->payment, found->payment);
    assert_text(expected->note, found->note);
    assert_text(expected->meta, found->meta);
    assert_int_equal(expected->op, found->op);
    assert_int_equal(expected->created_ms, found->created_ms);
    assert_int_equal(expected->expires_ms, found->expires_ms);
    assert_int_equal(expected->ttl_s, found->ttl_s);
    assert_int_equal(expected->total, found->total);
    assert_text(expected->wants, found->wants);
    assert_text(expected->lines, found->lines);
    assert_int_equal(expected->lines_size, found->lines_size);
}

void same_decision(const struct decision_row *expected, const struct decision_row *found)
{
    assert_int_equal(expected->seq, found->seq);
    assert_int_equal(expected->epoch, found->epoch);
    assert_int_equal(expected->codec, found->codec);
    assert_int_equal(expected->source_offset, found->source_offset);
    assert_int_equal(expected->resource_no, found->resource_no);
    assert_int_equal(expected->booking_no, found->booking_no);
    assert_int_equal(expected->booking_no_count, found->booking_no_count);
    for (uint32_t i = 0; i < expected->booking_no_count; i++)
        assert_int_equal(expected->booking_nos[i], found->booking_nos[i]);
    assert_int_equal(!expected->booking_nos, !found->booking_nos);
    assert_int_equal(expected->key_size, found->key_size);
    assert_memory_equal(expected->key, found->key, expected->key_size);
    assert_text(expected->request_id, found->request_id);
    assert_text(expected->resource, found->resource);
    assert_text(expected->client, found->client);
    assert_int_equal(expected->op, found->op);
    assert_int_equal(expected->outcome, found->outcome);
    assert_int_equal(expected->reason, found->reason);
    assert_memory_equal(expected->id_hash, found->id_hash, USHER_HASH_SIZE);
    assert_memory_equal(expected->content_hash, found->content_hash, USHER_HASH_SIZE);
    assert_int_equal(expected->first, found->first);
    assert_int_equal(expected->replayed, found->replayed);
    assert_text(expected->traceparent, found->traceparent);
    assert_int_equal(expected->cloud_events, found->cloud_events);
    assert_int_equal(expected->decided_ms, found->decided_ms);
    assert_int_equal(expected->appended_ms, found->appended_ms);
    assert_text(expected->body, found->body);
    assert_int_equal(expected->body_size, found->body_size);
}

void same_loaded(const struct loaded_resource *whole, const struct loaded_resource *paged)
{
    assert_int_equal(whole->row.no, paged->row.no);
    assert_int_equal(whole->pool_count, paged->pool_count);
    for (uint32_t i = 0; i < whole->pool_count; i++)
        same_pool(&whole->pools[i], &paged->pools[i]);
    assert_int_equal(whole->unit_count, paged->unit_count);
    for (uint32_t i = 0; i < whole->unit_count; i++) {
        assert_int_equal(whole->units[i].pool, paged->units[i].pool);
        assert_int_equal(whole->units[i].unit, paged->units[i].unit);
        assert_int_equal(whole->units[i].state, paged->units[i].state);
    }
    assert_int_equal(whole->waiting_count, paged->waiting_count);
    for (uint32_t i = 0; i < whole->waiting_count; i++)
        same_booking(&whole->waiting[i], &paged->waiting[i]);
}
