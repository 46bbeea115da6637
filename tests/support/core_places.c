/* How the shop and the hall come about. */
#include "core_places.h"

static const struct rig_step mugs[] = {
    {ASK("d", "define", ",'state':'open','products':[{'product':'mug','capacity':500}]"),
     "'outcome':'defined'"},
};

static int open_with(void **state, const struct inventory_limits *limits)
{
    static struct rig rig;
    rig_open(&rig, limits);
    *state = &rig;
    return RIG_PLAY(&rig, mugs) ? 0 : -1;
}

int open_shop(void **state)
{
    return open_with(state, &rig_no_limits);
}

int open_forgetful_shop(void **state)
{
    static const struct inventory_limits limits = {.bookings = 0, .resources = 0, .ids = 0};
    return open_with(state, &limits);
}

int close_shop(void **state)
{
    struct rig *rig = *state;
    while (rig->in_flight > 0)
        rig_commit(rig);
    fake_database_check(rig->database);
    rig_close(rig);
    return 0;
}

#define HOLD(id, items) ASK(id, "hold", ",'customer':'c','items':[" items "]")

static const struct rig_step bookings[] = {
    {ASK("d", "define", ",'state':'open','currency':'EUR'," HALL), "'outcome':'defined'"},
    {HOLD("held", "{'seats':['A-1']}"), "'outcome':'held'"},
    {ASK("sold", "book", ",'customer':'c','items':[{'seats':['A-2']}]"), "'outcome':'confirmed'"},
    {HOLD("back", "{'seats':['A-3']}"), "'outcome':'held'"},
    {ASK("back-r", "release", ",'customer':'c','booking':'back'"), "'outcome':'released'"},
    {ASK("gone", "book", ",'customer':'c','items':[{'seats':['A-3']}]"), "'outcome':'confirmed'"},
    {ASK("gone-c", "cancel", ",'customer':'c','booking':'gone'"), "'outcome':'cancelled'"},
};

int open_hall(void **state)
{
    static struct rig rig;
    rig_open(&rig, &rig_no_limits);
    *state = &rig;
    return RIG_PLAY(&rig, bookings) ? 0 : -1;
}

int close_hall(void **state)
{
    rig_close(*state);
    return 0;
}
