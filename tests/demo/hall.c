/* A theatre of 1,200 seats, no two sections alike. Names of rows are unique in the house. */
#include "hall.h"

#include <stddef.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof(array)[0]))

const char hall_resource[] = "show:tempest-2026-12-24";

static const struct usher_row premium[] = {{"A", 20, 1}, {"B", 22, 1}, {"C", 24, 1}, {"D", 26, 1}};

static const struct usher_row stalls[] = {
    {"E", 26, 1}, {"F", 28, 1}, {"G", 28, 1}, {"H", 30, 1}, {"J", 30, 1}, {"K", 32, 1},
    {"L", 32, 1}, {"M", 32, 1}, {"N", 32, 1}, {"P", 30, 1}, {"Q", 28, 1}, {"R", 24, 1},
};

static const struct usher_row boxes[] = {
    {"X1", 4, 1}, {"X2", 4, 1}, {"X3", 5, 1}, {"X4", 6, 1}, {"X5", 5, 1},
    {"X6", 5, 1}, {"X7", 6, 1}, {"X8", 5, 1}, {"X9", 4, 1}, {"X10", 4, 1},
};

static const struct usher_row circle[] = {
    {"CA", 28, 1}, {"CB", 30, 1}, {"CC", 32, 1}, {"CD", 32, 1},
    {"CE", 32, 1}, {"CF", 30, 1}, {"CG", 28, 1}, {"CH", 24, 1},
};

static const struct usher_row balcony[] = {
    {"BA", 30, 1}, {"BB", 32, 1}, {"BC", 32, 1}, {"BD", 32, 1}, {"BE", 32, 1},
    {"BF", 32, 1}, {"BG", 30, 1}, {"BH", 28, 1}, {"BJ", 24, 1},
};

static const struct usher_row gallery[] = {
    {"GA", 32, 1}, {"GB", 32, 1}, {"GC", 30, 1}, {"GD", 30, 1},
    {"GE", 28, 1}, {"GF", 26, 1}, {"GG", 22, 1},
};

const struct usher_section hall_sections[] = {
    {"premium", 9500, USHER_ABSENT, premium, COUNT(premium)},
    {"stalls", 6500, USHER_ABSENT, stalls, COUNT(stalls)},
    {"boxes", 12000, USHER_ABSENT, boxes, COUNT(boxes)},
    {"circle", 5500, USHER_ABSENT, circle, COUNT(circle)},
    {"balcony", 3500, USHER_ABSENT, balcony, COUNT(balcony)},
    {"gallery", 2000, USHER_ABSENT, gallery, COUNT(gallery)},
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
        .ends_ms = USHER_ABSENT,
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
    usher_error_set(err, USHER_EXIT_BUG, "could not put the hall on sale: it was not answered so");
    return USHER_FATAL;
}
