/*
 * Every two reasons that can hold at once: the one that comes first in enum usher_reason is
 * answered. Requests are put together from flaws, each of which gives one reason by itself.
 */
#include <stdio.h>
#include <string.h>

#include "core_places.h"
#include "producer/codec/request_fields.h"
#include "tests/unit/unit.h"
#include "worker/inventory/bookings.h"

/* What is different in a request with this flaw; NULL: as in the sound one. */
struct flaw {
    enum usher_reason reason;
    const char *id, *resource, *deadline;
    const char *fields; /* added */
    const char *entry;  /* of items, or of the lists of a define */
};

/* One kind of request; sound, it is accepted. */
struct family {
    const char *name, *op, *fields;
    const char *list;  /* the field that entries go into */
    const char *entry; /* one that is sound */
    const char *outcome;
    const struct flaw *flaws;
    size_t flaw_count;
};

#define FLAWS(table) (table), sizeof(table) / sizeof((table)[0])
#define LONG_AGO "'deadline':'1970-01-01T00:00:01Z'"

/* A place with something of everything; times start at 1,000 s. */
static const struct rig_step place[] = {
    {ASK("d", "define",
         ",'state':'open','limits':{'units_per_request':9},"
         "'sections':[{'section':'stalls','price':4500,'rows':[{'row':'A','seats':4},"
         "{'row':'B','seats':4}]},{'section':'standing','capacity':5,'price':1000}]"),
     "'outcome':'defined'"},
    {"{'request_id':'d','op':'define','resource':'shut','products':[{'product':'x','capacity':1}]}",
     "'outcome':'defined'"},
    {ASK("sold", "book", ",'customer':'c','items':[{'seats':['A-2']}]"), "'outcome':'confirmed'"},
    {ASK("b3", "book", ",'customer':'c','items':[{'seats':['B-3']}]"), "'outcome':'confirmed'"},
    {ASK("b2", "book", ",'customer':'c','items':[{'seats':['B-2']}]"), "'outcome':'confirmed'"},
    {ASK("gone", "hold", ",'customer':'c','ttl_s':1,'items':[{'seats':['B-4']}]"),
     "'outcome':'held'"},
};

static int open_place(void **state)
{
    static struct rig rig;
    rig_open(&rig, &rig_no_limits);
    *state = &rig;
    if (!RIG_PLAY(&rig, place))
        return -1;
    rig.now_ms += 2000;
    if (rig_expire(&rig) != 1)
        return -1;
    rig_seal(&rig);
    rig_commit(&rig);
    return 0;
}

/* ---- the flaws ---- */

#define ANY_REQUEST                                                          \
    {USHER_ID_REUSED, .id = "gone"}, {USHER_TOO_LATE, .deadline = LONG_AGO}, \
    {                                                                        \
        USHER_UNKNOWN_RESOURCE, .resource = "nowhere"                        \
    }

#define ANY_ITEMS                                                                        \
    {USHER_LIMIT_EXCEEDED, .entry = "{'section':'standing','quantity':10}"},             \
        {USHER_UNKNOWN_POOL, .entry = "{'product':'x','quantity':1}"},                   \
        {USHER_UNKNOWN_SEAT, .entry = "{'seats':['Z-1']}"},                              \
        {USHER_UNKNOWN_RATE, .entry = "{'seats':['B-1'],'rate':'child'}"},               \
        {USHER_UNIT_TAKEN, .entry = "{'seats':['A-2']}"},                                \
        {USHER_NOT_ENOUGH, .entry = "{'section':'standing','quantity':6}"},              \
    {                                                                                    \
        USHER_NOT_TOGETHER, .entry = "{'section':'stalls','quantity':3,'together':true}" \
    }

static const struct flaw hold_flaws[] = {
    ANY_REQUEST,
    {USHER_NOT_ON_SALE, .resource = "shut"},
    {USHER_UNKNOWN_BOOKING, .fields = ",'from_block':'none'"},
    {USHER_NOT_BLOCKED, .fields = ",'from_block':'sold'"},
    ANY_ITEMS,
};

static const struct flaw exchange_flaws[] = {
    ANY_REQUEST,
    {USHER_UNKNOWN_BOOKING, .fields = ",'customer':'c','booking':'none'"},
    {USHER_NOT_OWNER, .fields = ",'customer':'other','booking':'b3'"},
    {USHER_HOLD_EXPIRED, .fields = ",'customer':'c','booking':'gone'"},
    {USHER_UNKNOWN_BOOKING, .fields = ",'customer':'c','booking':'b3','from_hold':'none'"},
    {USHER_ALREADY_CONFIRMED, .fields = ",'customer':'c','booking':'b3','from_hold':'sold'"},
    {USHER_HOLD_EXPIRED, .fields = ",'customer':'c','booking':'b3','from_hold':'gone'"},
    ANY_ITEMS,
};

static const struct flaw confirm_flaws[] = {
    ANY_REQUEST,
    {USHER_UNKNOWN_BOOKING, .fields = ",'customer':'c','booking':'none'"},
    {USHER_NOT_OWNER, .fields = ",'customer':'other','booking':'gone'"},
    {USHER_ALREADY_CONFIRMED, .fields = ",'customer':'c','booking':'sold'"},
    {USHER_NOT_IN_BOOKING, .entry = "{'seats':['A-1']}"},
};

static const struct flaw define_flaws[] = {
    {USHER_ID_REUSED, .id = "gone"},
    {USHER_TOO_LATE, .deadline = LONG_AGO},
    {USHER_ALREADY_EXISTS, .fields = ",'only':'new'"},
    {USHER_BAD_CHART, .fields = ",'products':[{'product':'standing','capacity':1}]"},
    {USHER_IN_USE, .entry = "{'section':'stalls','capacity':0}"},
    {USHER_LIMIT_EXCEEDED,
     .fields = ",'rooms':[{'room':'double','from':'1970-01-01','to':'2149-06-01','capacity':1},"
               "{'room':'twin','from':'1970-01-01','to':'2149-06-01','capacity':1}]"},
};

static const struct family families[] = {
    {"hold", "hold", ",'customer':'c'", "items", "{'seats':['A-1']}", "held", FLAWS(hold_flaws)},
    {"book", "book", ",'customer':'c'", "items", "{'seats':['A-3']}", "confirmed",
     FLAWS(hold_flaws)},
    {"exchange", "exchange", ",'customer':'c','booking':'b3'", "items", "{'seats':['A-4']}",
     "exchanged", FLAWS(exchange_flaws)},
    {"define", "define", "", "sections", "{'section':'balcony','capacity':3}", "defined",
     FLAWS(define_flaws)},
    {"confirm", "confirm", ",'customer':'c','booking':'gone'", "items", "{'seats':['B-4']}",
     "confirmed", FLAWS(confirm_flaws)},
};

/* ---- requests ---- */

static const char *either(const char *a, const char *b, const char *otherwise)
{
    return a ? a : b ? b : otherwise;
}

/* Whether they cannot come together: both are about one field, or an id is known elsewhere. */
static bool clash(const struct flaw *a, const struct flaw *b)
{
    bool other_place = (a->id && b->resource) || (a->resource && b->id);
    return other_place || (a->id && b->id) || (a->resource && b->resource) ||
           (a->fields && b->fields);
}

/* A request with these flaws; `number` makes its id. */
static const char *write(const struct family *family, const struct flaw *a, const struct flaw *b,
                         uint32_t number)
{
    static char text[2048];
    char id[16];
    (void)snprintf(id, sizeof id, "p%u", number);
    const char *deadline = either(a->deadline, b->deadline, NULL);
    (void)snprintf(text, sizeof text,
                   "{'request_id':'%s','op':'%s','resource':'%s'%s,'%s':[%s%s%s]%s%s}",
                   either(a->id, b->id, id), family->op, either(a->resource, b->resource, "r"),
                   either(a->fields, b->fields, family->fields), family->list,
                   a->entry ? a->entry : family->entry, b->entry ? "," : "",
                   b->entry ? b->entry : "", deadline ? "," : "", deadline ? deadline : "");
    return text;
}

static const char *asks(const struct family *family, const struct flaw *flaw)
{
    /* A hold and a book keep their fields and get more; the others have theirs replaced. */
    static char fields[256];
    (void)snprintf(fields, sizeof fields, "%s%s", flaw->fields ? family->fields : "",
                   flaw->fields ? flaw->fields : "");
    return fields;
}

static bool adds(const struct family *family)
{
    return strstr(family->fields, "booking") == NULL;
}

static bool answers(struct rig *rig, const struct family *family, const struct flaw *a,
                    const struct flaw *b)
{
    static uint32_t number;
    struct flaw left = *a, right = *b;
    char fields[2][256];
    if (adds(family) && left.fields)
        left.fields = strcpy(fields[0], asks(family, &left));
    if (adds(family) && right.fields)
        right.fields = strcpy(fields[1], asks(family, &right));
    enum usher_reason first = a->reason;
    if (first == USHER_REASON_NONE || (b->reason != USHER_REASON_NONE && b->reason < first))
        first = b->reason;
    char says[64];
    (void)snprintf(says, sizeof says, "'reason':'%s'", usher_reason_name(first));
    return rig_says(rig, write(family, &left, &right, ++number), says);
}

/* ---- the tests ---- */

static const struct flaw sound = {USHER_REASON_NONE, NULL, NULL, NULL, NULL, NULL};

static void each_flaw_gives_its_reason(void **state)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        for (size_t j = 0; j < families[i].flaw_count; j++)
            assert_true(answers(*state, &families[i], &families[i].flaws[j], &sound));
}

static void of_two_the_first_in_the_order_is_answered(void **state)
{
    uint32_t pairs = 0;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        const struct family *family = &families[i];
        for (size_t j = 0; j < family->flaw_count; j++) {
            for (size_t k = 0; k < family->flaw_count; k++) {
                if (j == k || clash(&family->flaws[j], &family->flaws[k]))
                    continue;
                assert_true(answers(*state, family, &family->flaws[j], &family->flaws[k]));
                pairs++;
            }
        }
    }
    assert_true(pairs > 300);
}

/* Else the flaws would prove nothing. Last: it changes the place. */
static void without_a_flaw_each_is_accepted(void **state)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        char says[64];
        (void)snprintf(says, sizeof says, "'outcome':'%s'", families[i].outcome);
        assert_true(
            rig_says(*state, write(&families[i], &sound, &sound, 100000 + (uint32_t)i), says));
    }
}

/* A state gives one reason: which, is the table of each operation. */
static const char *const states[] = {"held",     "confirmed", "blocked",   "waiting",
                                     "released", "expired",   "cancelled", "left"};

static const struct transition {
    const char *op, *fields;
    const char *says[8]; /* in the order of states */
} transitions[] = {
    {"confirm",
     ",'customer':'c'",
     {"'confirmed'", "already_confirmed", "not_owner", "not_held", "already_released",
      "'confirmed'", "already_cancelled", "not_held"}},
    {"release",
     ",'force':true",
     {"'released'", "already_confirmed", "not_held", "not_held", "already_released", "'released'",
      "already_cancelled", "not_held"}},
    {"extend",
     ",'customer':'c','ttl_s':60",
     {"'extended'", "already_confirmed", "not_owner", "not_held", "already_released",
      "hold_expired", "already_cancelled", "not_held"}},
    {"cancel",
     ",'force':true",
     {"not_confirmed", "'cancelled'", "not_held", "not_held", "already_released", "hold_expired",
      "already_cancelled", "not_held"}},
    {"exchange",
     ",'force':true,'items':[{'product':'mug','quantity':2}]",
     {"'exchanged'", "'exchanged'", "'exchanged'", "not_held", "already_released", "hold_expired",
      "already_cancelled", "not_held"}},
    {"transfer",
     ",'force':true,'to_customer':'d'",
     {"'transferred'", "'transferred'", "not_held", "not_held", "already_released", "hold_expired",
      "already_cancelled", "not_held"}},
    {"leave",
     ",'customer':'c'",
     {"not_waiting", "not_waiting", "not_owner", "'left'", "already_released", "not_waiting",
      "already_cancelled", "not_waiting"}},
    {"unblock",
     "",
     {"not_blocked", "not_blocked", "'released'", "not_blocked", "already_released", "not_blocked",
      "already_cancelled", "not_blocked"}},
};

#define ITEMS ",'items':[{'product':'mug','quantity':1}]"
#define ALL_GONE ",'items':[{'product':'cup','quantity':1}]"

/* Makes a booking in each state, for one operation to be tried on. */
static const struct rig_step one_of_each[] = {
    {ASK("d", "define",
         ",'state':'open','products':[{'product':'mug','capacity':500},{'product':'cup',"
         "'capacity':1}]"),
     "'defined'"},
    {ASK("last", "book", ",'customer':'c'" ALL_GONE), "'confirmed'"},
    {ASK("expired", "hold", ",'customer':'c','ttl_s':1" ITEMS), "'held'"},
    {ASK("held", "hold", ",'customer':'c'" ITEMS), "'held'"},
    {ASK("confirmed", "book", ",'customer':'c'" ITEMS), "'confirmed'"},
    {ASK("blocked", "block", ITEMS), "'blocked'"},
    {ASK("waiting", "hold", ",'customer':'c','wait_until':'2030-01-01T00:00:00Z'" ALL_GONE),
     "'waiting'"},
    {ASK("released", "hold", ",'customer':'c'" ITEMS), "'held'"},
    {ASK("r", "release", ",'customer':'c','booking':'released'"), "'released'"},
    {ASK("cancelled", "book", ",'customer':'c'" ITEMS), "'confirmed'"},
    {ASK("c", "cancel", ",'customer':'c','booking':'cancelled'"), "'cancelled'"},
    {ASK("left", "hold", ",'customer':'c','wait_until':'2030-01-01T00:00:00Z'" ALL_GONE),
     "'waiting'"},
    {ASK("l", "leave", ",'customer':'c','booking':'left'"), "'left'"},
};

/* Whether the operation is one on a booking: then it needs one. */
static bool is_on_booking(unsigned op)
{
    const struct message_field *field = message_field_of(&request_table, "booking");
    assert_non_null(field);
    return (field->needed_by >> op & 1U) != 0;
}

static void each_operation_on_a_booking_has_a_row(void **state)
{
    (void)state;
    for (unsigned op = 1; op < USHER_OP_COUNT; op++) {
        const char *name = usher_op_name((enum usher_op)op);
        bool found = false;
        for (size_t i = 0; i < sizeof transitions / sizeof transitions[0]; i++)
            found = found || strcmp(transitions[i].op, name) == 0;
        if (found != is_on_booking(op))
            fail_msg("transitions: the row of \"%s\"", name);
    }
}

static void try_transition(const struct transition *transition, size_t at)
{
    struct rig rig;
    char text[512];
    rig_open(&rig, &rig_no_limits);
    assert_true(RIG_PLAY(&rig, one_of_each));
    rig.now_ms += 2000;
    assert_int_equal(rig_expire(&rig), 1);
    rig_seal(&rig);
    rig_commit(&rig);
    (void)snprintf(text, sizeof text,
                   "{'request_id':'t','op':'%s','resource':'r','booking':'%s'%s}", transition->op,
                   states[at], transition->fields);
    assert_true(rig_says(&rig, text, transition->says[at]));
    fake_database_check(rig.database);
    resource_check(rig_resource(&rig, "r"));
    rig_close(&rig);
}

static void from_each_state_each_operation_leads_where_the_table_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof transitions / sizeof transitions[0]; i++)
        for (size_t at = 0; at < sizeof states / sizeof states[0]; at++)
            try_transition(&transitions[i], at);
}

#define PLACE_TEST(test) cmocka_unit_test_setup_teardown(test, open_place, close_hall)
static const struct CMUnitTest tests[] = {
    PLACE_TEST(each_flaw_gives_its_reason),
    PLACE_TEST(of_two_the_first_in_the_order_is_answered),
    PLACE_TEST(without_a_flaw_each_is_accepted),
    cmocka_unit_test(each_operation_on_a_booking_has_a_row),
    cmocka_unit_test(from_each_state_each_operation_leads_where_the_table_says),
};
UNIT_TESTS(test_decide_pairs, tests, NULL, NULL)
