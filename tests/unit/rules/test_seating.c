/*
 * Choosing seats: each rule on small halls that are drawn as text.
 */
#include <stdio.h>
#include <string.h>

#include "seat_hall.h"
#include "tests/unit/unit.h"

enum {
    DRAWN_ROWS = 12,
    DRAWN_SEATS = 100
};

/*
 * A hall drawn as text: rows from front to back, `|` between them, a character a seat. In `seats`
 * `x` is taken, the others are free. `ranks` has digits, and a row of spaces has none; in
 * `features` a letter is a feature of that name and `*` is both `a` and `w`.
 */
struct drawing {
    const char *seats, *ranks, *features;
};

static struct seat_hall hall;

static uint32_t width(const char *row)
{
    return (uint32_t)strcspn(row, "|");
}

static const char *row_after(const char *row)
{
    return row[width(row)] == '|' ? row + width(row) + 1 : NULL;
}

static void draw_ranks(struct seat_row *row, const char *text)
{
    if (text[0] == ' ')
        return;
    int32_t *ranks = usher_arena_alloc(&hall.arena, row->seats * sizeof *ranks);
    for (uint32_t i = 0; i < row->seats; i++)
        ranks[i] = text[i] - '0';
    row->ranks = ranks;
}

static void draw_feature(struct usher_row_feature *feature, const char *text, uint32_t count)
{
    uint32_t *seats = usher_arena_alloc(&hall.arena, count * sizeof *seats);
    for (uint32_t i = 0; i < count; i++)
        if (text[i] == feature->feature[0] || text[i] == '*')
            seats[feature->seat_count++] = i;
    feature->seats = seats;
}

static void draw_features(struct seat_row *row, const char *text)
{
    struct usher_row_feature *features = usher_arena_alloc(&hall.arena, 2 * sizeof *features);
    features[0].feature = "a";
    features[1].feature = "w";
    for (uint32_t i = 0; i < 2; i++)
        draw_feature(&features[i], text, row->seats);
    row->features = features;
    row->feature_count = 2;
}

static void draw(const struct drawing *drawing)
{
    uint32_t seats[DRAWN_ROWS] = {0}, row_count = 0, unit = 0;
    for (const char *row = drawing->seats; row; row = row_after(row))
        seats[row_count++] = width(row);
    seat_hall_open(&hall, seats, row_count);
    const char *ranks = drawing->ranks, *features = drawing->features;
    for (uint32_t i = 0; i < row_count; i++) {
        if (ranks)
            draw_ranks(&hall.pool.seat_rows[i], ranks);
        if (features)
            draw_features(&hall.pool.seat_rows[i], features);
        ranks = ranks ? row_after(ranks) : NULL;
        features = features ? row_after(features) : NULL;
    }
    seat_hall_arrange(&hall);
    for (const char *seat = drawing->seats; *seat; seat++) {
        int32_t at = (int32_t)unit;
        unit += *seat != '|';
        if (*seat == 'x')
            seat_hall_take(&hall, &at, 1);
    }
}

/* Draws the pieces, a letter each in the order chosen, into a copy of the drawing. */
static uint32_t draw_pieces(const int32_t *units, uint32_t count, char *text)
{
    char letter = 'A' - 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct seat_row *row = seats_row_of(&hall.pool, (uint32_t)units[i]);
        bool next = i > 0 && units[i] == units[i - 1] + 1 && (uint32_t)units[i] > row->first_unit;
        letter += (char)!next;
        text[units[i] + (row - hall.pool.seat_rows)] = letter;
    }
    return (uint32_t)(letter - 'A' + 1);
}

/* The drawing with the party in it, and `!` behind it where it leaves an orphan; "no". */
static const char *seat(const struct drawing *drawing, const struct party *party)
{
    static char text[DRAWN_SEATS + 1];
    int32_t units[DRAWN_SEATS] = {0};
    draw(drawing);
    struct seating seating = seating_choose(&hall.pool, party, &hall.scratch, units);
    snprintf(text, sizeof text, seating.orphan ? "%s!" : "%s", drawing->seats);
    if (seating.pieces > 0)
        assert_int_equal(seating.pieces, draw_pieces(units, party->quantity, text));
    else
        snprintf(text, sizeof text, "no");
    seat_hall_close(&hall);
    return text;
}

struct seating_case {
    const char *rule;
    struct drawing drawing;
    uint32_t quantity;
    const char *seated;
};

static void play(const struct seating_case *cases, size_t count, struct party party)
{
    for (size_t i = 0; i < count; i++) {
        party.quantity = cases[i].quantity;
        const char *seated = seat(&cases[i].drawing, &party);
        if (strcmp(cases[i].seated, seated) != 0)
            fail_msg("%s: %u of %s got %s, not %s", cases[i].rule, party.quantity,
                     cases[i].drawing.seats, seated, cases[i].seated);
    }
}
#define PLAY(cases, ...) play(cases, sizeof(cases) / sizeof(*(cases)), (struct party){__VA_ARGS__})

static void best_is_front_to_back_and_middle_outward(void **state)
{
    (void)state;
    static const struct seating_case cases[] = {
        {"the first row, its middle", {"......|......", 0, 0}, 2, "..AA..|......"},
        {"the lower of two in the middle", {".......|.......", 0, 0}, 2, "..AA...|......."},
        {"the lower of two sides", {"....xx....", 0, 0}, 2, "..AAxx...."},
        {"the nearer side", {"....xx.....", 0, 0}, 2, "....xxAA..."},
        {"the row's middle, not the run's", {"x..........", 0, 0}, 1, "x....A....."},
        {"the first row with a place", {"xx.x|...|...", 0, 0}, 3, "xx.x|AAA|..."},
        {"a whole row", {"...|....", 0, 0}, 4, "...|AAAA"},
        {"one seat", {"xx|x.|x", 0, 0}, 1, "xx|xA|x"},
        {"no seat", {"x|xx", 0, 0}, 1, "no"},
    };
    PLAY(cases, .strategy = USHER_BEST);
    PLAY(cases, .together = true); /* what there is without a strategy */
}

static void best_asks_for_ranks_first(void **state)
{
    (void)state;
    static const struct seating_case cases[] = {
        {"the lowest sum", {"....|....", "5555|2299", 0}, 2, "....|AA.."},
        {"the sum, not the best seat", {"....|....", "0996|4444", 0}, 2, "....|AA.."},
        {"an orphan is worse than a rank", {"....|....", "9119|8888", 0}, 2, "AA..|...."},
        {"of free seats", {"....|x...", "5555|1222", 0}, 3, "....|xAAA"},
        {"of equals the first row", {"....|....", "5523|3255", 0}, 2, "..AA|...."},
        {"then the middle", {".......", "3333333", 0}, 1, "...A..."},
        {"then the lower", {"........", "33333333", 0}, 1, "...A...."},
        {"a row without ranks comes last", {"...|...", "   |999", 0}, 3, "...|AAA"},
        {"it comes, though", {"...|xx.", "   |999", 0}, 3, "AAA|xx."},
        {"a large party",
         {".........|.........", "111111119|222211111", 0},
         9,
         ".........|AAAAAAAAA"},
        {"with an orphan", {"...|...", "112|901", 0}, 2, "...|.AA!"},
    };
    PLAY(cases, .strategy = USHER_BEST);
}

static void first_is_the_lowest_place(void **state)
{
    (void)state;
    static const struct seating_case cases[] = {
        {"from the end of the row", {"......|......", 0, 0}, 2, "AA....|......"},
        {"from the seat taken", {"xxx......", 0, 0}, 2, "xxxAA...."},
        {"the first run with a place", {"...x....", 0, 0}, 2, "...xAA.."},
        {"the first row with a place", {"...|xx|..", 0, 0}, 2, "...|xx|AA"},
        {"whatever the ranks", {"..|..", "99|11", 0}, 2, "AA|.."},
        {"with an orphan if it must be", {"x|...x...", 0, 0}, 2, "x|AA.x...!"},
    };
    PLAY(cases, .strategy = USHER_FIRST);
}

static void nobody_leaves_an_orphan_without_need(void **state)
{
    (void)state;
    static const struct seating_case cases[] = {
        {"it fits exactly", {"...|..", 0, 0}, 2, "...|AA"},
        {"between seats taken", {"x...x|xx..", 0, 0}, 2, "x...x|xxAA"},
        {"one seat alone", {"..|..|.", 0, 0}, 1, "..|..|A"},
        {"a long row", {"......|.....", 0, 0}, 5, "......|AAAAA"},
        {"other rows' seats are no neighbours", {"x..|.xx|..x", 0, 0}, 1, "x..|Axx|..x"},
    };
    static const struct seating_case forced[] = {
        {"an orphan and not two pieces", {"...|.", 0, 0}, 2, "AA.|.!"},
        {"an orphan and not no seat", {"xx.|..", 0, 0}, 1, "xxA|.."},
        {"in the first row that has room", {"..|...|...", 0, 0}, 2, "AA|...|..."},
        {"beside an end", {".x..", 0, 0}, 2, ".xAA"},
        {"two or three", {"x..|x..x", 0, 0}, 1, "xA.|x..x!"},
    };
    PLAY(cases, .strategy = USHER_BEST);
    PLAY(cases, .strategy = USHER_FIRST);
    for (uint64_t seed = 0; seed < 20; seed++)
        PLAY(cases, .strategy = USHER_RANDOM, .seed = seed);
    PLAY(forced, .strategy = USHER_BEST, .together = true);
    PLAY(forced, .strategy = USHER_FIRST);
}

static void several_pieces_are_few_and_near_the_longest(void **state)
{
    (void)state;
    static const struct seating_case cases[] = {
        {"the longest whole, the earlier row", {"..|....|...", 0, 0}, 6, "BB|AAAA|..."},
        {"the nearer row", {"...|xx|xx|....|...", 0, 0}, 6, "...|xx|xx|AAAA|BB."},
        {"no piece more", {"....|.|.....|.", 0, 0}, 9, "BBBB|.|AAAAA|."},
        {"nearer as long as that is no piece more",
         {"...|..|....|.|...", 0, 0},
         9,
         "CCC|BB|AAAA|.|..."},
        {"the same row, its lower run", {"..x....x..|....", 0, 0}, 6, "BBxAAAAx..|...."},
        {"the low end of the last", {"....|...", 0, 0}, 6, "AAAA|BB."},
        {"the first of equals", {"..|..|..", 0, 0}, 3, "AA|B.|.."},
        {"all there is", {"x.x.|.x.x", 0, 0}, 4, "xAxB|CxDx"},
        {"more than there is", {"x.x.|.x.x", 0, 0}, 5, "no"},
    };
    static const struct seating_case together[] = {
        {"more than a row", {"....|....", 0, 0}, 5, "no"},
        {"a row", {"....|....", 0, 0}, 4, "AAAA|...."},
    };
    for (enum usher_strategy strategy = USHER_BEST; strategy <= USHER_RANDOM; strategy++)
        PLAY(cases, .strategy = strategy);
    PLAY(together, .together = true);
}

static void features_are_wanted_or_avoided(void **state)
{
    (void)state;
    static const char *const names[] = {"w", "a", "none"};
    static const struct seating_case wanted[] = {
        {"it has it", {"......|......", 0, "......|..ww.."}, 2, "......|..AA.."},
        {"free ones", {"....|....", 0, "ww..|..ww"}, 2, "AA..|...."},
        {"not taken ones", {"x...|....", 0, "ww..|..ww"}, 2, "x...|..AA"},
        {"an orphan among them", {"....|....", 0, "www.|.ww."}, 2, "....|.AA."},
        {"in pieces", {".....|x", 0, "w.w.w|w"}, 3, "A.B.C|x"},
        {"not enough", {".....|x", 0, "w.w.w|w"}, 4, "no"},
        {"no row has it", {".....", 0, 0}, 1, "no"},
    };
    static const struct seating_case both_wanted[] = {
        {"every seat has them all", {"....|....", 0, "aawa|.**."}, 2, "....|.AA."},
    };
    static const struct seating_case avoided[] = {
        {"no seat has it", {"....|....", 0, "a..a|aaa."}, 2, ".AA.|...."},
        {"it is as good as taken", {"....|....", 0, "a...|...."}, 2, "....|AA.."},
        {"other features are welcome", {"....", 0, "wwaa"}, 2, "AA.."},
        {"what no row has", {"....", 0, 0}, 4, "AAAA"},
    };
    static const struct seating_case wanted_and_avoided[] = {
        {"one and not the other", {"....|....", 0, "w*w*|a.ww"}, 2, "....|..AA"},
        {"the best rank of them", {"....|....", "1111|5343", "wa**|wwww"}, 2, "....|..AA"},
    };
    PLAY(wanted, .features = names, .feature_count = 1);
    PLAY(both_wanted, .features = names, .feature_count = 2);
    PLAY(avoided, .avoid = names + 1, .avoid_count = 2);
    PLAY(wanted_and_avoided, .features = names, .feature_count = 1, .avoid = names + 1,
         .avoid_count = 1);
}

static void what_a_party_could_have_is_counted(void **state)
{
    (void)state;
    static const char *const names[] = {"w", "a"};
    static const struct {
        struct party party;
        uint32_t free, longest;
    } cases[] = {
        {{.quantity = 1}, 8, 5},
        {{.feature_count = 1, .features = names}, 4, 2},
        {{.feature_count = 2, .features = names}, 1, 1},
        {{.avoid_count = 1, .avoid = names}, 4, 2},
        {{.avoid_count = 2, .avoid = names}, 3, 2},
    };
    static const struct drawing drawing = {"..x.|.....", NULL, "ww*.|a*w.."};
    draw(&drawing);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(cases[i].free, seating_free(&hall.pool, &cases[i].party));
        assert_int_equal(cases[i].longest, seating_longest(&hall.pool, &cases[i].party));
    }
    seat_hall_close(&hall);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(best_is_front_to_back_and_middle_outward),
    cmocka_unit_test(best_asks_for_ranks_first),
    cmocka_unit_test(first_is_the_lowest_place),
    cmocka_unit_test(nobody_leaves_an_orphan_without_need),
    cmocka_unit_test(several_pieces_are_few_and_near_the_longest),
    cmocka_unit_test(features_are_wanted_or_avoided),
    cmocka_unit_test(what_a_party_could_have_is_counted),
};
UNIT_TESTS(test_seating, tests, NULL, NULL)
