/* Wishes from dice; fallbacks from the reasons of refusals. */
#include "customer.h"

#include <inttypes.h>
#include <stdio.h>

#include "desk.h"
#include "hall.h"

enum {
    NAMED_PERCENT = 30,
    TOGETHER_PERCENT = 50,
    MODEST_PERCENT = 40,
    DOUBTFUL_PERCENT = 12,
    TRIES_MIN = 2,
    TRIES_RANGE = 3, /* so 2 … 4 */
    RETHINK_US = 50000,
    RETHINK_RANGE_US = 250000,
    PAY_US = 60000,
    PAY_RANGE_US = 540000,
};

static bool chance(struct customer *customer, uint32_t percent)
{
    return dice_roll(&customer->dice, 100) < percent;
}

void customer_init(struct customer *customer, uint32_t number, uint64_t seed)
{
    *customer = (struct customer){
        .state = CUSTOMER_WANTS,
        .number = number,
        .dice = {.state = seed + ((uint64_t)number << 32)},
    };
    customer->party = 2 + dice_roll(&customer->dice, CUSTOMER_PARTY_MAX - 1);
    customer->wanted = customer->party;
    customer->section = dice_roll(&customer->dice, hall_section_count);
    customer->tries_max = TRIES_MIN + dice_roll(&customer->dice, TRIES_RANGE);
    customer->named = chance(customer, NAMED_PERCENT);
    customer->together = chance(customer, TOGETHER_PERCENT);
    customer->modest = chance(customer, MODEST_PERCENT);
}

bool customer_wants(const struct customer *customer)
{
    return customer->state == CUSTOMER_WANTS;
}

/* ---- asking ---- */

/* Neighbours in a row of the section. */
static void name_seats(struct customer *customer, struct customer_request *asked)
{
    const struct usher_section *section = &hall_sections[customer->section];
    const struct usher_row *row = &section->rows[dice_roll(&customer->dice, section->row_count)];
    uint32_t first = row->first + dice_roll(&customer->dice, row->seats - customer->wanted + 1);
    for (uint32_t i = 0; i < customer->wanted; i++) {
        snprintf(asked->seat_names[i], sizeof asked->seat_names[i], "%s-%" PRIu32, row->row,
                 first + i);
        asked->seats[i] = asked->seat_names[i];
    }
    asked->item = (struct usher_item){
        .kind = USHER_SEATS,
        .seats = asked->seats,
        .seat_count = customer->wanted,
        .quantity = customer->wanted,
    };
}

static void ask_for_seats(struct customer *customer, struct customer_request *asked)
{
    customer->tries++;
    if (customer->named) {
        name_seats(customer, asked);
    } else {
        asked->item = (struct usher_item){
            .kind = USHER_SECTION,
            .pool = hall_sections[customer->section].section,
            .quantity = customer->wanted,
            .together = customer->together,
        };
    }
    asked->request.items = &asked->item;
    asked->request.item_count = 1;
}

void customer_request(struct customer *customer, struct customer_request *asked)
{
    enum usher_op op = customer->state == CUSTOMER_WANTS ? USHER_OP_HOLD
                       : customer->doubtful              ? USHER_OP_RELEASE
                                                         : USHER_OP_CONFIRM;
    asked->request = desk_request(op, hall_resource);
    asked->request.request_id = asked->request_id;
    asked->request.customer = asked->customer;
    if (op == USHER_OP_HOLD)
        ask_for_seats(customer, asked);
    snprintf(asked->customer, sizeof asked->customer, "c%" PRIu32, customer->number);
    snprintf(asked->booking, sizeof asked->booking, "c%" PRIu32 "-%" PRIu32, customer->number,
             customer->tries);
    snprintf(asked->request_id, sizeof asked->request_id, "%s%s", asked->booking,
             op == USHER_OP_CONFIRM   ? "-pay"
             : op == USHER_OP_RELEASE ? "-let-go"
                                      : "");
    if (op != USHER_OP_HOLD)
        asked->request.booking = asked->booking;
}

/* ---- hearing ---- */

static int64_t pause_us(struct customer *customer, uint32_t least, uint32_t range)
{
    return (int64_t)least + dice_roll(&customer->dice, range);
}

/* After a refusal: what else would do? */
static void reconsider(struct customer *customer, const struct usher_answer *answer)
{
    int64_t free = answer->items_count > 0 ? answer->items[0].free : USHER_ABSENT;
    if (customer->named) {
        customer->named = false; /* others were quicker: any seats of that section */
    } else if (customer->together && answer->reason == USHER_NOT_TOGETHER) {
        customer->together = false;
    } else if (customer->modest && free > 0 && free < customer->wanted) {
        customer->wanted = (uint32_t)free;
    } else {
        customer->section = (customer->section + 1) % hall_section_count;
        customer->wanted = customer->party;
    }
}

int64_t customer_hears(struct customer *customer, const struct usher_answer *answer)
{
    enum usher_outcome outcome = answer == NULL ? USHER_OUTCOME_NONE : answer->outcome;
    if (customer->state == CUSTOMER_WANTS && outcome == USHER_HELD) {
        customer->state = CUSTOMER_HOLDS;
        customer->doubtful = chance(customer, DOUBTFUL_PERCENT);
        return pause_us(customer, PAY_US, PAY_RANGE_US);
    }
    if (customer->state == CUSTOMER_WANTS && outcome == USHER_REFUSED &&
        customer->tries < customer->tries_max) {
        reconsider(customer, answer);
        return pause_us(customer, RETHINK_US, RETHINK_RANGE_US);
    }
    customer->released = outcome == USHER_RELEASED;
    customer->state = outcome == USHER_CONFIRMED ? CUSTOMER_HAPPY : CUSTOMER_GONE;
    return -1;
}
