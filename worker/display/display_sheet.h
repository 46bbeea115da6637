/*
 * What a picture shows that no booking changes: the catalogue of one resource as it was when it was
 * drawn. It never changes, so that updates share it with the picture, also on other threads. PURE;
 * inside of the display, not for others.
 */
#ifndef USHER_WORKER_DISPLAY_DISPLAY_SHEET_H
#define USHER_WORKER_DISPLAY_DISPLAY_SHEET_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "worker/model/rows.h"

enum {
    SHEET_NO_SEATS = -1
};

struct sheet_pool {
    const char *name, *title;
    enum usher_kind kind;
    int32_t night;
    int64_t capacity, price;
    const char *rates;      /* as in its row: JSON; NULL. Equal ones one after another are one */
    const char *properties; /* JSON; NULL */
    int64_t first_seat;     /* in the seats string; SHEET_NO_SEATS */
};

struct sheet {
    _Atomic uint32_t holders;
    int64_t no;
    const char *id, *name, *timezone, *currency, *chart_name;
    enum usher_sale_state state;
    int64_t starts_ms, opens_ms, closes_ms; /* USHER_ABSENT */
    const char *chart;                      /* canonical JSON; NULL: no seats */
    size_t chart_size;
    struct sheet_pool *pools; /* by index; removed ones have no capacity */
    uint32_t pool_count;
    uint32_t shown_count; /* pools with a capacity */
    uint32_t seat_count;
    int64_t total;
};

/* Copies everything. Released by whoever holds it, with sheet_release. */
struct sheet *sheet_create(const struct loaded_resource *loaded);

/* Takes another reference and returns it. */
struct sheet *sheet_hold(struct sheet *sheet);

/* The last one frees it. NULL is legal. */
void sheet_release(struct sheet *sheet);

#endif
