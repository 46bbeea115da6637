/* A theatre of 1,200 seats, no two sections alike. Names of rows are unique in the house. */
#include "hall.h"

#include <stddef.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof(array)[0]))
#define ROW(name, count)                \
    {                                   \
        .row = (name), .seats = (count) \
    }
#define SECTION(name, cost, layout)                                                      \
    {                                                                                    \
        .section = (name), .price = (cost), .rows = (layout), .row_count = COUNT(layout) \
    }

const char hall_resource[] = "show:tempest-2026-12-24";

static const struct usher_row premium[] = {ROW("A", 20), ROW("B", 22), ROW("C", 24), ROW("D", 26)};

static const struct usher_row stalls[] = {
    ROW("E", 26), ROW("F", 28), ROW("G", 28), ROW("H", 30), ROW("J", 30), ROW("K", 32),
    ROW("L", 32), ROW("M", 32), ROW("N", 32), ROW("P", 30), ROW("Q", 28), ROW("R", 24),
};

static const struct usher_row boxes[] = {
    ROW("X1", 4), ROW("X2", 4), ROW("X3", 5), ROW("X4", 6), ROW("X5", 5),
    ROW("X6", 5), ROW("X7", 6), ROW("X8", 5), ROW("X9", 4), ROW("X10", 4),
};

static const struct usher_row circle[] = {
    ROW("CA", 28), ROW("CB", 30), ROW("CC", 32), ROW("CD", 32),
    ROW("CE", 32), ROW("CF", 30), ROW("CG", 28), ROW("CH", 24),
};

static const struct usher_row balcony[] = {
    ROW("BA", 30), ROW("BB", 32), ROW("BC", 32), ROW("BD", 32), ROW("BE", 32),
    ROW("BF", 32), ROW("BG", 30), ROW("BH", 28), ROW("BJ", 24),
};

static const struct usher_row gallery[] = {
    ROW("GA", 32), ROW("GB", 32), ROW("GC", 30), ROW("GD", 30),
    ROW("GE", 28), ROW("GF", 26), ROW("GG", 22),
};

const struct usher_section hall_sections[] = {
    SECTION("premium", 9500, premium), SECTION("stalls", 6500, stalls),
    SECTION("boxes", 12000, boxes),    SECTION("circle", 5500, circle),
    SECTION("balcony", 3500, balcony), SECTION("gallery", 2000, gallery),
};
const uint32_t hall_section_count = COUNT(hall_sections);

uint32_t hall_seat_count(void)
{
    uint32_t seats = 0;
    for (uint32_t i = 0; i < hall_section_count; i++)
        for (uint32_t row = 0; row < hall_sections[i].row_count; row++)
            seats += hall_sections[i].rows[row].seats;
    return seats;
}

static void ignore(struct errand *errand, const struct usher_answer *answer)
{
    (void)errand;
    (void)answer;
}

enum usher_status hall_put_on_sale(struct desk *desk, struct account *account,
                                   struct usher_error *err)
{
    const struct usher_definition definition = {
        .name = "The Tempest",
        .venue = "Grand Theatre",
        .timezone = "Europe/London",
        .currency = "GBP",
        .starts_ms = INT64_C(1798140600000), /* 2026-12-24T19:30:00Z */
        .hold_ttl_s = 300,
        .sections = hall_sections,
        .section_count = hall_section_count,
    };
    struct usher_request request = desk_request(USHER_OP_DEFINE, hall_resource);
    struct errand errand = {.done = ignore, .account = account};
    request.request_id = "hall-define";
    request.definition = &definition;
    enum usher_status status = desk_ask_and_wait(desk, &request, &errand, err);
    if (status == USHER_OK) {
        request = desk_request(USHER_OP_OPEN, hall_resource);
        request.request_id = "hall-open";
        status = desk_ask_and_wait(desk, &request, &errand, err);
    }
    if (status != USHER_OK)
        return status;
    if (account_outcome(account, USHER_OP_DEFINE, USHER_DEFINED) == 1 &&
        account_outcome(account, USHER_OP_OPEN, USHER_DEFINED) == 1)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_BUG, "could not put the hall on sale: unexpected answer");
    return USHER_FATAL;
}
