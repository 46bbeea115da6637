/*
 * Reads the values of flags, of parts of flags, and of fields of a CSV file. `what` names the place
 * in complaints: "--ttl", or "shows.csv" with line and column.
 */
#include "producer/program/flag_values.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/clock.h"
#include "producer/base/option_value.h"
#include "producer/codec/definition_rows.h"
#include "producer/codec/request_fields.h"
#include "producer/terminal/money.h"

/* ==== Values ==== */

enum {
    INSTANT_SIZE_MAX = 64,
    PRICE_SIZE_MAX = 32,
};

/* 9999-12-31T23:59:59.999Z */
#define INSTANT_MAX INT64_C(253402300799999)

enum usher_status flag_number(const char *what, const char *text, int64_t max, int64_t *number,
                              struct usher_error *err)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (isdigit((unsigned char)*text) && *end == '\0' && errno == 0 && value <= max) {
        *number = value;
        return USHER_OK;
    }
    usher_error_set(err, USHER_EXIT_USAGE,
                    "could not read %s: \"%s\" is not a whole number up to %" PRId64, what, text,
                    max);
    return USHER_FATAL;
}

/* From 1. */
static enum usher_status flag_count(const char *what, const char *text, int64_t max,
                                    int64_t *number, struct usher_error *err)
{
    enum usher_status status = flag_number(what, text, max, number, err);
    if (status != USHER_OK || *number > 0)
        return status;
    usher_error_set(err, USHER_EXIT_USAGE, "could not use %s: 0 is below 1", what);
    return USHER_FATAL;
}

/* ---- prices ---- */

/* Reads digits that are the minor units of `text`. */
static enum usher_status read_minor(const char *what, const char *text, const char *digits,
                                    int64_t *minor, struct usher_error *err)
{
    errno = 0;
    *minor = strtoll(digits, NULL, 10);
    if (errno == 0 && *minor <= USHER_PRICE_MAX)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_USAGE,
                    "could not read %s: \"%s\" is more than %" PRId64 " minor units", what, text,
                    USHER_PRICE_MAX);
    return USHER_FATAL;
}

/*
 * A whole number: of minor units, unless the currency has decimals. Then 30 could be meant as 30.00
 * or as 0.30, and what was not meant would be sold.
 */
static enum usher_status read_whole(const char *what, const char *text, const char *currency,
                                    int64_t *minor, struct usher_error *err)
{
    int exponent = currency ? money_exponent(currency) : 0;
    enum usher_status status = flag_number(what, text, USHER_PRICE_MAX, minor, err);
    if (status != USHER_OK || exponent == 0 || *minor == 0)
        return status;
    usher_error_set(
        err, USHER_EXIT_USAGE,
        "could not read %s: \"%s\" may be %s.%0*d %s, or minor units: write %d decimals", what,
        text, text, exponent, 0, currency, exponent);
    return USHER_FATAL;
}

enum usher_status flag_price(const char *what, const char *text, const char *currency,
                             int64_t *minor, struct usher_error *err)
{
    const char *point = strchr(text, '.');
    if (!point)
        return read_whole(what, text, currency, minor, err);
    if (!currency) {
        usher_error_set(err, USHER_EXIT_USAGE,
                        "could not read %s: \"%s\" has decimals, which need --currency; without it "
                        "prices are whole minor units, as 4500 for 45.00",
                        what, text);
        return USHER_FATAL;
    }
    int exponent = money_exponent(currency);
    char digits[PRICE_SIZE_MAX];
    int size = snprintf(digits, sizeof digits, "%.*s%s", (int)(point - text), text, point + 1);
    if (point == text || strlen(point + 1) != (size_t)exponent || exponent == 0 ||
        size >= (int)sizeof digits || strspn(digits, "0123456789") != (size_t)size) {
        usher_error_set(err, USHER_EXIT_USAGE,
                        "could not read %s: \"%s\" is no amount of %s, which has %d decimals", what,
                        text, currency, exponent);
        return USHER_FATAL;
    }
    return read_minor(what, text, digits, minor, err);
}

static enum usher_status flag_night(const char *what, const char *text, int32_t *night,
                                    struct usher_error *err)
{
    if (usher_night_parse(text, night))
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_USAGE,
                    "could not read %s: \"%s\" is not a date such as 2026-12-24", what, text);
    return USHER_FATAL;
}

/* ---- instants ---- */

/* +01:00 or -05:30 at the end, in milliseconds east of UTC. */
static bool read_offset(const char *text, int64_t *offset_ms)
{
    int hours, minutes, size = 0;
    if ((text[0] != '+' && text[0] != '-') || !isdigit((unsigned char)text[1]) ||
        sscanf(text + 1, "%2d:%2d%n", &hours, &minutes, &size) != 2 || size != 5 ||
        text[6] != '\0' || hours > 23 || minutes > 59)
        return false;
    *offset_ms = (hours * INT64_C(60) + minutes) * 60000 * (text[0] == '-' ? -1 : 1);
    return true;
}

/* The library reads Z only, as it is on the wire. */
static bool read_rfc3339(const char *text, int64_t *ms)
{
    char utc[INSTANT_SIZE_MAX];
    size_t size = strlen(text);
    int64_t offset_ms = 0;
    if (usher_instant_parse(text, ms))
        return true;
    if (size < 6 || size >= sizeof utc || !read_offset(text + size - 6, &offset_ms))
        return false;
    memcpy(utc, text, size - 6);
    memcpy(utc + size - 6, "Z", 2);
    if (!usher_instant_parse(utc, ms))
        return false;
    *ms -= offset_ms;
    return *ms >= 0 && *ms <= INSTANT_MAX;
}

static bool read_duration(const char *text, int64_t *ms)
{
    static const struct option_spec duration = {.name = "time", .type = OPTION_DURATION_MS};
    struct option_value value = {.spec = &duration};
    if (option_value_set(&value, text, OPTION_FLAG, "", NULL) != USHER_OK)
        return false;
    *ms = value.number;
    return true;
}

static bool read_from_now(const char *text, int64_t *ms)
{
    int64_t duration_ms, now = clock_wall_ms();
    if (!read_duration(text, &duration_ms) || duration_ms > INSTANT_MAX - now)
        return false;
    *ms = now + duration_ms;
    return true;
}

static enum usher_status bad_instant(const char *what, const char *text, const char *relative,
                                     struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_USAGE,
                    "could not read %s: \"%s\" is neither an instant such as "
                    "2026-12-24T19:30:00Z nor a time from now such as %s",
                    what, text, relative);
    return USHER_FATAL;
}

/* RFC 3339 with Z or an offset, or +2h: a time from now on. */
static enum usher_status flag_instant(const char *what, const char *text, int64_t *ms,
                                      struct usher_error *err)
{
    bool read = *text == '+' ? read_from_now(text + 1, ms) : read_rfc3339(text, ms);
    return read && *ms > 0 ? USHER_OK : bad_instant(what, text, "+2h", err);
}

enum usher_status flag_deadline(const char *what, const char *text, int64_t *ms,
                                struct usher_error *err)
{
    bool read = read_rfc3339(text, ms) || read_from_now(text + (*text == '+'), ms);
    return read && *ms > 0 ? USHER_OK : bad_instant(what, text, "5s", err);
}

enum usher_status flag_past(const char *what, const char *text, int64_t *ms,
                            struct usher_error *err)
{
    int64_t duration_ms, now = clock_wall_ms();
    if (read_rfc3339(text, ms)) {
        *ms = *ms > 0 ? *ms : 1; /* 0 is not given */
        return USHER_OK;
    }
    if (read_duration(text, &duration_ms) && duration_ms < now) {
        *ms = now - duration_ms;
        return USHER_OK;
    }
    usher_error_set(err, USHER_EXIT_USAGE,
                    "could not read %s: \"%s\" is neither an instant such as "
                    "2026-12-24T19:30:00Z nor how long ago, such as 1h",
                    what, text);
    return USHER_FATAL;
}

enum usher_status flag_only(const struct options *options, enum usher_only *only,
                            struct usher_error *err)
{
    bool new = options_bool(options, "only-new");
    bool existing = options_bool(options, "only-existing");
    *only = new ? USHER_ONLY_NEW : existing ? USHER_ONLY_EXISTING : USHER_ONLY_ABSENT;
    if (!new || !existing)
        return USHER_OK;
    usher_error_set(err, USHER_EXIT_USAGE, "give either --only-new or --only-existing");
    return USHER_FATAL;
}

/* ---- lists ---- */

/* The pieces of `text`, each copied. */
static char **split(struct usher_arena *arena, const char *text, char separator, uint32_t *count)
{
    const char separators[] = {separator, '\0'};
    *count = 1;
    for (const char *at = text; *at != '\0'; at++)
        *count += *at == separator;
    char **pieces = usher_arena_alloc(arena, *count * sizeof *pieces);
    for (uint32_t i = 0; i < *count; i++) {
        size_t size = strcspn(text, separators);
        pieces[i] = usher_arena_text(arena, text, size);
        text += size + (text[size] == separator);
    }
    return pieces;
}

enum usher_status flag_names(struct usher_arena *arena, const char *what, const char *text,
                             char separator, struct flag_names *names, struct usher_error *err)
{
    char **pieces = split(arena, text, separator, &names->count);
    names->names = (const char *const *)pieces;
    for (uint32_t i = 0; i < names->count; i++) {
        if (*pieces[i] != '\0')
            continue;
        usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: a name in \"%s\" is empty", what,
                        text);
        return USHER_FATAL;
    }
    return USHER_OK;
}

enum usher_status flag_rates(struct usher_arena *arena, const char *what, const char *text,
                             char separator, struct flag_rates *rates, struct usher_error *err)
{
    char **pieces = split(arena, text, separator, &rates->count);
    struct usher_rate *list = usher_arena_alloc(arena, rates->count * sizeof *list);
    rates->rates = list;
    for (uint32_t i = 0; i < rates->count; i++) {
        char *colon = strrchr(pieces[i], ':');
        if (!colon || colon == pieces[i]) {
            usher_error_set(err, USHER_EXIT_USAGE,
                            "could not read %s: \"%s\" is not RATE:PRICE, as adult:4500", what,
                            pieces[i]);
            return USHER_FATAL;
        }
        *colon = '\0';
        list[i].rate = pieces[i];
        enum usher_status status =
            flag_price(what, colon + 1, rates->currency, &list[i].price, err);
        if (status != USHER_OK)
            return status;
    }
    return USHER_OK;
}

/* ==== Members of a party ==== */

struct flag_members {
    struct usher_member *members;
    uint32_t count;
};

/* RATE:N@FEATURE,..., of which N alone must be there. */
static enum usher_status read_member(struct usher_arena *arena, const char *what, char *text,
                                     struct usher_member *member, struct usher_error *err)
{
    int64_t quantity = 0;
    enum usher_status status = USHER_OK;
    const char *whole = usher_arena_text(arena, text, strlen(text));
    char *needs = strchr(text, '@');
    if (needs)
        *needs = '\0';
    char *colon = strrchr(text, ':');
    const char *number = colon ? colon + 1 : text;
    if (number == text + 1 || strspn(number, "0123456789") == 0) {
        usher_error_set(err, USHER_EXIT_USAGE,
                        "could not read %s: \"%s\" is not RATE:N@FEATURE, as adult:2 or "
                        "adult:1@accessible",
                        what, whole);
        return USHER_FATAL;
    }
    if (colon) {
        *colon = '\0';
        member->rate = text;
    }
    status = flag_count(what, number, USHER_UNITS_MAX, &quantity, err);
    member->quantity = (uint32_t)quantity;
    if (status == USHER_OK && needs) {
        struct flag_names names = {0};
        status = flag_names(arena, what, needs + 1, ',', &names, err);
        member->features = names.names;
        member->feature_count = names.count;
    }
    return status;
}

/* Members with + between them. */
static enum usher_status flag_members(struct usher_arena *arena, const char *what, const char *text,
                                      struct flag_members *members, struct usher_error *err)
{
    enum usher_status status = USHER_OK;
    char **pieces = split(arena, text, '+', &members->count);
    members->members = usher_arena_alloc(arena, members->count * sizeof *members->members);
    for (uint32_t i = 0; status == USHER_OK && i < members->count; i++)
        status = read_member(arena, what, pieces[i], &members->members[i], err);
    return status;
}

/* ==== Rows of a section ==== */

enum {
    ROWS_MAX = 1000 /* a flag; more come by --plan or --file */
};

/* The list being filled. */
struct reading {
    struct usher_arena *arena;
    const char *what;
    struct usher_row *rows;
    uint32_t count;
};

static enum usher_status bad_row(const struct reading *reading, const char *text,
                                 const char *wanted, struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: \"%s\" is not %s", reading->what,
                    text, wanted);
    return USHER_FATAL;
}

/* How often its first letter stands at the beginning: 2 of AA. */
static size_t letter_count(const char *label)
{
    size_t count = 0;
    while (isupper((unsigned char)label[0]) && label[count] == label[0])
        count++;
    return count;
}

/* A-F, AA-FF or 1-12 as numbers, of so many equal letters; false where the label is a row's own. */
static bool row_range(const char *label, int64_t *first, int64_t *last, size_t *letters)
{
    struct usher_error ignored;
    char from[8], to[8];
    size_t count = letter_count(label);
    if (count > 0 && label[count] == '-' && letter_count(label + count + 1) == count &&
        label[2 * count + 1] == '\0') {
        *first = (unsigned char)label[0];
        *last = (unsigned char)label[count + 1];
        *letters = count;
        return true;
    }
    *letters = 0;
    return sscanf(label, "%7[0-9]-%7[0-9]", from, to) == 2 &&
           strlen(from) + 1 + strlen(to) == strlen(label) &&
           flag_number("", from, ROWS_MAX, first, &ignored) == USHER_OK &&
           flag_number("", to, ROWS_MAX, last, &ignored) == USHER_OK;
}

/* One of them; cuts `text` at its colons. */
static enum usher_status read_row(const struct reading *reading, char *text, struct usher_row *row,
                                  struct usher_error *err)
{
    int64_t seats = 0, number = 1;
    char *colon = strchr(text, ':');
    if (!colon)
        return bad_row(reading, text, "ROW:SEATS or ROW:SEATS:FIRST", err);
    *colon = '\0';
    char *second = strchr(colon + 1, ':');
    if (second)
        *second = '\0';
    enum usher_status status =
        flag_number(reading->what, colon + 1, USHER_CAPACITY_MAX, &seats, err);
    if (status == USHER_OK && second)
        status = flag_number(reading->what, second + 1, USHER_CAPACITY_MAX, &number, err);
    if (status == USHER_OK && seats == 0)
        return bad_row(reading, text, "a row: it has no seats", err);
    *row = (struct usher_row){.row = text,
                              .seats = (uint32_t)seats,
                              .first = (uint32_t)number,
                              .first_given = number == 0};
    return status;
}

static enum usher_status add_rows(struct reading *reading, char *text, struct usher_error *err)
{
    struct usher_row row;
    int64_t first = 0, last = 0;
    size_t letters = 0;
    enum usher_status status = read_row(reading, text, &row, err);
    if (status != USHER_OK)
        return status;
    bool range = row_range(text, &first, &last, &letters);
    if (range && first > last)
        return bad_row(reading, text, "a range of rows", err);
    if (reading->count + (range ? last - first : 0) >= ROWS_MAX) {
        usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: more than %d rows",
                        reading->what, ROWS_MAX);
        return USHER_FATAL;
    }
    for (int64_t i = first; range && i <= last; i++) {
        char *name = letters > 0 ? usher_arena_text(reading->arena, text, letters)
                                 : usher_arena_format(reading->arena, "%d", (int)i);
        memset(name, (int)i, letters);
        row.row = name;
        reading->rows[reading->count++] = row;
    }
    if (!range)
        reading->rows[reading->count++] = row;
    return USHER_OK;
}

struct flag_rows {
    const struct usher_row *rows;
    uint32_t count;
};

/* ROW:SEATS or ROW:SEATS:FIRST with + between them; A-F, AA-FF and 1-12 are several rows alike. */
static enum usher_status flag_rows(struct usher_arena *arena, const char *what, const char *text,
                                   struct flag_rows *rows, struct usher_error *err)
{
    struct reading reading = {
        .arena = arena,
        .what = what,
        .rows = usher_arena_alloc(arena, ROWS_MAX * sizeof *reading.rows),
    };
    enum usher_status status = USHER_OK;
    while (status == USHER_OK && *text != '\0') {
        size_t size = strcspn(text, "+");
        status = add_rows(&reading, usher_arena_text(arena, text, size), err);
        text += size + (text[size] == '+');
    }
    *rows = (struct flag_rows){.rows = reading.rows, .count = reading.count};
    return status;
}

/* ==== Fields ==== */

static void put(void *object, size_t offset, const void *value, size_t size)
{
    memcpy((char *)object + offset, value, size);
}

static enum usher_status set_number(const struct flag_source *source,
                                    const struct message_field *field, void *object,
                                    struct usher_error *err)
{
    int64_t number = 0;
    bool from_one = field->min > 0;
    enum usher_status status = USHER_OK;
    if (field->type == MESSAGE_PRICE)
        status = flag_price(source->what, source->text, source->currency, &number, err);
    else if (field->type == MESSAGE_INSTANT)
        status = strcmp(field->name, "deadline") == 0
                     ? flag_deadline(source->what, source->text, &number, err)
                     : flag_instant(source->what, source->text, &number, err);
    else
        status = (from_one ? flag_count : flag_number)(source->what, source->text, field->max,
                                                       &number, err);
    if (field->type == MESSAGE_COUNT)
        put(object, field->offset, &(uint32_t){(uint32_t)number}, sizeof(uint32_t));
    else
        put(object, field->offset, &number, sizeof number);
    if (field->beside > 0)
        put(object, field->beside, &(bool){true}, sizeof(bool));
    return status;
}

/* As an option of that type would be. */
static enum usher_status set_as_option(const struct flag_source *source,
                                       const struct message_field *field, void *object,
                                       struct usher_error *err)
{
    bool is_flag = field->type == MESSAGE_FLAG;
    const struct option_spec spec = {.name = field->option->flag,
                                     .type = is_flag ? OPTION_BOOL : OPTION_DURATION,
                                     .min = field->min,
                                     .max = field->max};
    struct option_value value = {.spec = &spec};
    enum usher_status status =
        option_value_set(&value, source->text, OPTION_FLAG, source->what, err);
    if (is_flag)
        put(object, field->offset, &(bool){value.number != 0}, sizeof(bool));
    else
        put(object, field->offset, &value.number, sizeof value.number);
    return status;
}

/* Whether a rule stands: what is not given is neither. */
static enum usher_status set_whether(const struct flag_source *source,
                                     const struct message_field *field, void *object,
                                     struct usher_error *err)
{
    bool is_true = strcmp(source->text, "true") == 0;
    if (is_true || strcmp(source->text, "false") == 0) {
        put(object, field->offset, &(int8_t){is_true ? 1 : (int8_t)(-1 - field->absent)},
            sizeof(int8_t));
        return USHER_OK;
    }
    usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: \"%s\" is not true or false",
                    source->what, source->text);
    return USHER_FATAL;
}

static enum usher_status set_word(const struct flag_source *source,
                                  const struct message_field *field, void *object,
                                  struct usher_error *err)
{
    unsigned word = 0;
    if (message_word_named(field->words, source->text, &word)) {
        put(object, field->offset, &word, sizeof word);
        return USHER_OK;
    }
    usher_error_set(err, USHER_EXIT_USAGE, "could not read %s: \"%s\" is none of %s", source->what,
                    source->text, message_words_text(source->arena, field->words, "|", "|"));
    return USHER_FATAL;
}

/* Names, rates, members or rows. */
static enum usher_status set_list(const struct flag_source *source,
                                  const struct message_field *field, void *object,
                                  struct usher_error *err)
{
    static const char *const none[1];
    const void *list = none;
    uint32_t count = 0;
    enum usher_status status = USHER_OK;
    if (field->type == MESSAGE_RATES) {
        struct flag_rates rates = {.currency = source->currency};
        status =
            flag_rates(source->arena, source->what, source->text, source->separator, &rates, err);
        list = rates.rates;
        count = rates.count;
    } else if (field->of == &member_table) {
        struct flag_members members = {0};
        status = flag_members(source->arena, source->what, source->text, &members, err);
        list = members.members;
        count = members.count;
    } else if (field->type == MESSAGE_PARTS) {
        struct flag_rows rows = {0};
        assert(field->of == &definition_row_table);
        status = flag_rows(source->arena, source->what, source->text, &rows, err);
        list = rows.rows;
        count = rows.count;
    } else if (!field->needed || *source->text != '\0') { /* else a list of none */
        struct flag_names names = {0};
        status =
            flag_names(source->arena, source->what, source->text, source->separator, &names, err);
        list = names.names;
        count = names.count;
    }
    put(object, field->offset, &list, sizeof list);
    put(object, field->beside, &count, sizeof count);
    return status;
}

enum usher_status flag_field(const struct flag_source *source, const struct message_field *field,
                             void *object, struct usher_error *err)
{
    switch (field->type) {
    case MESSAGE_INTEGER:
    case MESSAGE_PRICE:
    case MESSAGE_COUNT:
    case MESSAGE_INSTANT:
        return set_number(source, field, object, err);
    case MESSAGE_SECONDS:
    case MESSAGE_FLAG:
        return set_as_option(source, field, object, err);
    case MESSAGE_NIGHT:
        return flag_night(source->what, source->text,
                          (int32_t *)(void *)((char *)object + field->offset), err);
    case MESSAGE_WORD:
        return set_word(source, field, object, err);
    case MESSAGE_WHETHER:
        return set_whether(source, field, object, err);
    case MESSAGE_TEXTS:
    case MESSAGE_RATES:
    case MESSAGE_PARTS:
        return set_list(source, field, object, err);
    case MESSAGE_ID:
    case MESSAGE_NAME:
    case MESSAGE_POOL:
    case MESSAGE_ROW:
    case MESSAGE_LABEL:
    case MESSAGE_TEXT:
    case MESSAGE_CURRENCY:
    case MESSAGE_TIMEZONE:
    case MESSAGE_OBJECT:
        break;
    case MESSAGE_DRAWING:
    case MESSAGE_PART:
    case MESSAGE_LIST:
    case MESSAGE_MAP:
    case MESSAGE_OWN:
        assert(false); /* a field that no single text gives */
    }
    put(object, field->offset, &source->text, sizeof source->text);
    return USHER_OK;
}
