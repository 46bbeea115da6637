/*
 * Fields of JSON, appended to a buffer: the few lines that save a JSON library where every booking
 * pays.
 */
#include "producer/codec/message_append.h"

#include "producer/codec/calendar.h"
#include "usher/message.h"

void message_append_name(struct usher_buffer *out, const char *name)
{
    bool first = out->size > 0 && out->at[out->size - 1] == '{';
    usher_buffer_text(out, first && *name == ',' ? name + 1 : name);
    MESSAGE_LITERAL(out, ":");
}

void message_append_text(struct usher_buffer *out, const char *name, const char *text)
{
    if (text) {
        message_append_name(out, name);
        usher_buffer_json_string(out, text);
    }
}

void message_append_word(struct usher_buffer *out, const char *name, const char *word,
                         unsigned value)
{
    if (!word && value != 0)
        message_append_number(out, name, value);
    else
        message_append_text(out, name, word);
}

void message_append_number(struct usher_buffer *out, const char *name, int64_t number)
{
    if (number != USHER_ABSENT) {
        message_append_name(out, name);
        usher_buffer_number(out, number);
    }
}

void message_append_given(struct usher_buffer *out, const char *name, int64_t number, bool given)
{
    if (number != 0 || given)
        message_append_number(out, name, number);
}

void message_append_true(struct usher_buffer *out, const char *name)
{
    message_append_name(out, name);
    MESSAGE_LITERAL(out, "true");
}

void message_append_instant(struct usher_buffer *out, const char *name, int64_t ms)
{
    if (ms != USHER_ABSENT) {
        char text[USHER_INSTANT_SIZE];
        usher_instant_format(ms, text);
        message_append_text(out, name, text);
    }
}

void message_append_moment(struct usher_buffer *out, const char *name, int64_t ms)
{
    if (ms == 0)
        return;
    if (ms < 0 || ms / CALENDAR_MS_A_DAY > CALENDAR_LAST_DAY)
        message_append_number(out, name, ms);
    else
        message_append_instant(out, name, ms);
}

void message_append_night(struct usher_buffer *out, const char *name, int32_t day)
{
    char text[USHER_NIGHT_SIZE];
    usher_night_format(day, text);
    message_append_text(out, name, text);
}

static void append_day(struct usher_buffer *out, const char *name, int32_t day)
{
    if (day < 0 || day > CALENDAR_LAST_DAY)
        message_append_number(out, name, day);
    else
        message_append_night(out, name, day);
}

void message_append_stay(struct usher_buffer *out, int32_t from, int32_t to)
{
    if (to == 0)
        return;
    append_day(out, ",\"from\"", from);
    append_day(out, ",\"to\"", to);
}

void message_append_texts(struct usher_buffer *out, const char *name, const char *const *texts,
                          uint32_t count)
{
    message_append_name(out, name);
    MESSAGE_LITERAL(out, "[");
    for (uint32_t i = 0; i < count; i++) {
        message_append_comma(out, i);
        usher_buffer_json_string(out, texts[i]);
    }
    MESSAGE_LITERAL(out, "]");
}

void message_append_comma(struct usher_buffer *out, uint32_t index)
{
    if (index > 0)
        MESSAGE_LITERAL(out, ",");
}
