/*
 * Lists of rates: equal ones are one, whoever pushes them again and again, and a define writes what
 * it changes.
 */
#include <stdio.h>

#include "sealed_hall.h"
#include "tests/unit/unit.h"
#include "worker/inventory/inventory_state.h"
#include "worker/inventory/shared_catalogue.h"

/* Two room types for three nights, with these rates; what follows them. */
#define RATES(rates) "'rates':{" rates "}"
#define TYPE(room, rates, more) \
    "{'room':'" room "','from':'2027-01-01','to':'2027-01-04','capacity':2," rates "}" more
#define HOTEL(id, one, other, more) \
    ASK(id, "define", ",'rooms':[" TYPE("twin", one, ",") TYPE("suite", other, more) "]")

/* Whoever pushes all prices again and again pays for what is another one. */
static void a_define_does_not_write_what_it_repeats(void **state)
{
    struct rig *rig = *state;
    static const struct {
        const char *request;
        uint32_t pools, rates;
    } steps[] = {
        {HOTEL("1", RATES("'red':5,'blue':7"), RATES("'red':5,'blue':7"), ""), 6, 1},
        {HOTEL("2", RATES("'red':5,'blue':7"), RATES("'red':5,'blue':7"), ""), 0, 0},
        {HOTEL("3", RATES("'red':5,'blue':7"), RATES("'red':5,'blue':7"),
               ",{'room':'twin','from':'2027-01-02','to':'2027-01-03'," RATES("'red':6") "}"),
         1, 1},
        {HOTEL("3b", RATES("'red':5,'blue':7"), RATES("'red':5,'blue':7"),
               ",{'room':'twin','from':'2027-01-02','to':'2027-01-03'," RATES("'red':6") "}"),
         0, 0},
        {HOTEL("4", RATES("'red':5,'blue':7"), RATES("'blue':7,'red':5"), ""), 4, 2},
        {HOTEL("5", "'price':4", "'price':4", ""), 6, 2}, /* the standard rate, before the others */
        {HOTEL("6", "'price':4", "'price':4", ""), 0, 0},
        {ASK("7", "define",
             ",'products':[{'product':'mug','name':'A','properties':{'a':1},"
             "'capacity':1}]"),
         1, 0},
        {ASK("8", "define", ",'products':[{'product':'mug','name':'A','properties':{'a':1}}]"), 0,
         0},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        (void)rig_decide(rig, steps[i].request);
        const struct batch *batch = sealed(rig);
        assert_int_equal(steps[i].pools > 0, batch->resource_count);
        assert_int_equal(steps[i].pools, batch->pool_count);
        assert_int_equal(steps[i].rates, batch->list_count);
        for (uint32_t j = 0; j < batch->pool_count && batch->list_count > 0; j++)
            assert_ptr_equal(batch->lists[batch->pools[j].rates_place - 1], batch->pools[j].rates);
        rig_commit(rig);
        if (i % 2 == 0) {
            rig_restart(rig);
            (void)rig_ask(rig, ASK("probe", "probe", ""));
        }
    }
}

static const struct pool *night_of(struct rig *rig, const char *room, const char *night)
{
    int32_t day;
    assert_true(usher_night_parse(night, &day));
    struct resource *resource = rig_resource(rig, "r");
    return resource_night(resource, resource_name(resource, room), day);
}

static const struct rates *rates_of(struct rig *rig, const char *room, const char *night)
{
    return night_of(rig, room, night)->rates;
}

static void assert_one_list(struct rig *rig)
{
    const struct rates *list = rates_of(rig, "twin", "2027-01-01");
    assert_ptr_equal(list, rates_of(rig, "twin", "2027-01-03"));
    assert_ptr_equal(list, rates_of(rig, "suite", "2027-01-02"));
    assert_ptr_equal(list->list.json, rig_resource(rig, "r")->pools[3].row.rates);
}

/* However pools come to their rates. */
static void equal_rates_are_one_list(void **state)
{
    struct rig *rig = *state;
    (void)rig_ask(rig, HOTEL("1", RATES("'red':5"), RATES("'red':5"), ""));
    assert_one_list(rig);
    (void)rig_ask(rig, HOTEL("2", "'price':9", RATES("'standard':9,'red':5"), ""));
    assert_one_list(rig);
    rig_restart(rig);
    (void)rig_ask(rig, ASK("p", "probe", ""));
    assert_one_list(rig);
    (void)rig_ask(rig, HOTEL("3", "'price':9", "'price':8", ""));
    assert_ptr_not_equal(rates_of(rig, "twin", "2027-01-01"), rates_of(rig, "suite", "2027-01-01"));
    (void)rig_ask(rig, HOTEL("4", "'price':8", "'price':8", ""));
    assert_one_list(rig);
}

/* Lists that no pool has go with their book, sooner or later; those that one has go along. */
static void rates_that_no_pool_has_are_not_kept(void **state)
{
    struct rig *rig = *state;
    char request[512];
    uint32_t books = 0;
    (void)rig_ask(rig, HOTEL("1", RATES("'red':5"), RATES("'blue':7"),
                             "],'restrictions':[{'room':'suite','from':'2027-01-01','to':"
                             "'2027-01-04','rate':'blue','max_stay':9}"));
    const struct rates_book *book = rig_resource(rig, "r")->catalogue->rates;
    for (int i = 0; i < 4000 && books < 3; i++) {
        (void)snprintf(request, sizeof request, HOTEL("%d", RATES("'red':%d"), "'overbook':0", ""),
                       i + 2, i);
        (void)rig_ask(rig, request);
        const struct catalogue *catalogue = rig_resource(rig, "r")->catalogue;
        books += catalogue->rates != book;
        book = catalogue->rates;
        assert_int_equal(i, rates_of(rig, "twin", "2027-01-03")->standard->price);
        assert_string_equal("blue", rates_of(rig, "suite", "2027-01-03")->at[0].rate);
        assert_string_equal("[{\"rate\":\"blue\",\"max_stay\":9}]",
                            night_of(rig, "suite", "2027-01-03")->restrictions->list.json);
    }
    assert_int_equal(3, books);
}

#define HALL_TEST(test) cmocka_unit_test_setup_teardown(test, open_sealed_hall, close_sealed_hall)
static const struct CMUnitTest tests[] = {
    HALL_TEST(a_define_does_not_write_what_it_repeats),
    HALL_TEST(equal_rates_are_one_list),
    HALL_TEST(rates_that_no_pool_has_are_not_kept),
};
UNIT_TESTS(test_rates, tests, NULL, NULL)
