/* Answers in words for people: see answer_words.h. PURE. */
#include "producer/codec/answer_words.h"

const char *answer_word(enum usher_op op, enum usher_outcome outcome, enum usher_change change)
{
    const char *name = usher_outcome_name(outcome);
    if (outcome == USHER_DEFINED && change != USHER_CHANGE_ABSENT)
        return change == USHER_SAME ? "unchanged" : usher_change_name(change);
    if (outcome == USHER_DEFINED && op == USHER_OP_OPEN)
        return "opened";
    if (outcome == USHER_DEFINED && op == USHER_OP_CLOSE)
        return "closed";
    return name ? name : "answered";
}

static void append_count(struct usher_buffer *out, const char *before, int64_t count)
{
    usher_buffer_text(out, before);
    usher_buffer_number(out, count);
}

/* " (A-3 A-4)", or where they have places " (Block D, row 1, seat 7; row 2, seat 1)" */
static void append_taken(struct usher_buffer *out, const struct usher_shortfall *item)
{
    for (uint32_t i = 0; i < item->taken_count; i++) {
        usher_buffer_text(out, i == 0 ? " (" : item->places ? "; " : " ");
        usher_buffer_text(out, item->places ? item->places[i] : item->taken[i]);
    }
    usher_buffer_text(out, item->taken_count > 0 ? ")" : "");
}

/* " (stals); there are: stalls, circle" */
static void append_unknown(struct usher_buffer *out, const struct usher_shortfall *item)
{
    if (item->unknown) {
        usher_buffer_text(out, " (");
        usher_buffer_text(out, item->unknown);
        usher_buffer_text(out, ")");
    }
    for (uint32_t i = 0; i < item->known_count; i++) {
        usher_buffer_text(out, i == 0 ? "; there are: " : ", ");
        usher_buffer_text(out, item->known[i]);
    }
}

static void append_night(struct usher_buffer *out, const char *before, int32_t night)
{
    char text[USHER_NIGHT_SIZE];
    usher_night_format(night, text);
    usher_buffer_text(out, before);
    usher_buffer_text(out, text);
}

void answer_restricted_append(const struct usher_restricted *restricted, struct usher_buffer *out)
{
    const char *rule = usher_stay_rule_name(restricted->rule);
    usher_buffer_text(out, rule ? rule : "-");
    if (restricted->nights > 0)
        append_count(out, " ", restricted->nights);
    append_night(out, " on ", restricted->date);
    if (restricted->next > 0)
        append_night(out, ", next ", restricted->next);
}

void answer_shortfall_append(const struct usher_shortfall *item, struct usher_buffer *out)
{
    const char *reason = usher_reason_name(item->reason);
    append_count(out, "item ", item->item);
    append_count(out, ": asked ", item->asked);
    append_count(out, ", got ", item->given);
    usher_buffer_text(out, ": ");
    usher_buffer_text(out, reason ? reason : "-");
    if (item->free != USHER_ABSENT)
        append_count(out, item->free == 1 ? ", there was " : ", there were ", item->free);
    if (item->rate) {
        usher_buffer_text(out, " at rate ");
        usher_buffer_text(out, item->rate);
    }
    append_taken(out, item);
    append_unknown(out, item);
    if (item->restricted) {
        usher_buffer_text(out, ", ");
        answer_restricted_append(item->restricted, out);
    }
}
