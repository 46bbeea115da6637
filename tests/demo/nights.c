/* Sums the pools "A/2016-08-13" by night, and sorts. */
#include "nights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PRINTED = 8,
    BAR_WIDTH = 20,
};

struct night {
    int32_t day;
    int64_t free, total;
    char full[HOTEL_TYPES + 1]; /* letters of the types without a free room */
};

struct nights {
    const struct hotel *hotel;
    struct night *at; /* by night of the hotel */
    int64_t seen, differing;
};

static void add_pool(void *context, const char *name, int64_t free, int64_t total)
{
    struct nights *nights = context;
    const struct hotel *hotel = nights->hotel;
    int32_t day;
    int type = name[0] - 'A';
    if (type < 0 || type >= HOTEL_TYPES || name[1] != '/' || !usher_night_parse(name + 2, &day) ||
        day < hotel->first_night || day >= hotel->first_night + hotel->night_count) {
        nights->differing++;
        return;
    }
    int32_t index = day - hotel->first_night;
    struct night *night = &nights->at[index];
    int64_t expected = hotel->capacity[type] - hotel->taken[type * hotel->night_count + index];
    night->free += free;
    night->total += total;
    if (free == 0)
        night->full[strlen(night->full)] = (char)('A' + type);
    nights->seen++;
    nights->differing += total != hotel->capacity[type] || free != expected;
}

static int compare_nights(const void *left, const void *right)
{
    const struct night *a = left;
    const struct night *b = right;
    if (a->free != b->free)
        return a->free < b->free ? -1 : 1;
    return a->day - b->day;
}

static int compare_letters(const void *left, const void *right)
{
    return *(const char *)left - *(const char *)right;
}

static const char *weekday(int32_t day)
{
    static const char *const names[] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
    return names[day % 7];
}

static void print_night(const struct screen *screen, struct night *night, int32_t turned_away,
                        struct usher_buffer *line)
{
    char date[USHER_NIGHT_SIZE];
    usher_night_format(night->day, date);
    qsort(night->full, strlen(night->full), 1, compare_letters);
    screen_append(line, "  %s %s ", weekday(night->day), date);
    screen_append_share(screen, line, night->total - night->free, night->total, BAR_WIDTH);
    screen_append(line, " %3d of %3d %4d turned away", (int)(night->total - night->free),
                  (int)night->total, turned_away);
    for (const char *type = night->full; *type != '\0'; type++)
        screen_append(line, type == night->full ? "  full: %c" : ", %c", *type);
    screen_line(line);
}

static void print_fullest(const struct screen *screen, struct nights *nights,
                          const struct replay_report *report)
{
    const struct hotel *hotel = nights->hotel;
    struct usher_buffer line = {0};
    qsort(nights->at, (size_t)hotel->night_count, sizeof *nights->at, compare_nights);
    for (int32_t i = 0; i < PRINTED && i < hotel->night_count; i++) {
        struct night *night = &nights->at[i];
        print_night(screen, night, report->turned_away[night->day - hotel->first_night], &line);
    }
    usher_buffer_deinit(&line);
}

enum usher_status nights_print(const struct screen *screen, struct shown *shown,
                               const struct hotel *hotel, const struct replay_report *report,
                               int64_t *differing, struct usher_error *err)
{
    struct nights nights = {.hotel = hotel};
    const struct shown_pools pools = {.context = &nights, .pool = add_pool};
    nights.at = calloc((size_t)hotel->night_count, sizeof *nights.at);
    if (nights.at == NULL)
        abort();
    for (int32_t i = 0; i < hotel->night_count; i++)
        nights.at[i].day = hotel->first_night + i;
    enum usher_status status = shown_each_pool(shown, replay_resource, &pools, err);
    if (status == USHER_OK)
        print_fullest(screen, &nights, report);
    *differing = nights.differing + llabs(hotel_pool_count(hotel) - nights.seen);
    free(nights.at);
    return status;
}
