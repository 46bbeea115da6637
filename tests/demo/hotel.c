/* Reads seven columns, sorts once, and counts rooms in an array by type and night. */
#include "hotel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMNS = 7,
    LINE_SIZE = 256,
    CAPACITY_PERCENT = 80,
};

/* ---- reading ---- */

static enum usher_status refuse(const char *path, uint32_t line, const char *why,
                                struct usher_error *err)
{
    usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not read \"%s\" line %u: %s", path, line,
                    why);
    return USHER_FATAL;
}

/* booking,booked_on,arrival,departure,room_type,status,status_on */
static bool read_stay(char *line, struct hotel_stay *stay)
{
    char *columns[COLUMNS];
    int count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *rest = line; rest != NULL && count < COLUMNS;)
        columns[count++] = strsep(&rest, ",");
    if (count != COLUMNS || strlen(columns[0]) >= HOTEL_ID_SIZE)
        return false;
    *stay = (struct hotel_stay){.type = columns[4][0] - 'A', .cancelled_on = INT32_MAX};
    memcpy(stay->id, columns[0], strlen(columns[0]) + 1);
    int32_t status_on;
    if (!usher_night_parse(columns[1], &stay->booked_on) ||
        !usher_night_parse(columns[2], &stay->arrival) ||
        !usher_night_parse(columns[3], &stay->departure) ||
        !usher_night_parse(columns[6], &status_on))
        return false;
    if (strcmp(columns[5], "Canceled") == 0)
        stay->cancelled_on = status_on;
    return stay->arrival < stay->departure && stay->type >= 0 && stay->type < HOTEL_TYPES;
}

static struct hotel_stay *add_stay(struct hotel *hotel)
{
    if ((hotel->stay_count & (hotel->stay_count + 1)) == 0) {
        size_t capacity = 2 * ((size_t)hotel->stay_count + 1);
        hotel->stays = realloc(hotel->stays, capacity * sizeof *hotel->stays);
        if (hotel->stays == NULL)
            abort();
    }
    return &hotel->stays[hotel->stay_count++];
}

static enum usher_status read_stays(const char *path, FILE *file, struct hotel *hotel,
                                    struct usher_error *err)
{
    char line[LINE_SIZE];
    if (fgets(line, sizeof line, file) == NULL)
        return refuse(path, 1, "the file is empty", err);
    while (fgets(line, sizeof line, file) != NULL)
        if (!read_stay(line, add_stay(hotel)))
            return refuse(path, hotel->stay_count + 1, "not a booking of a room", err);
    return hotel->stay_count > 0 ? USHER_OK : refuse(path, 2, "no bookings", err);
}

/* ---- the stream ---- */

static int compare_steps(const void *left, const void *right)
{
    const struct hotel_step *a = left;
    const struct hotel_step *b = right;
    if (a->day != b->day)
        return a->day < b->day ? -1 : 1;
    if (a->cancels != b->cancels)
        return a->cancels ? 1 : -1;
    return (a->stay > b->stay) - (a->stay < b->stay);
}

static void make_steps(struct hotel *hotel)
{
    hotel->steps = calloc(2 * (size_t)hotel->stay_count, sizeof *hotel->steps);
    if (hotel->steps == NULL)
        abort();
    for (uint32_t i = 0; i < hotel->stay_count; i++) {
        const struct hotel_stay *stay = &hotel->stays[i];
        hotel->steps[hotel->step_count++] = (struct hotel_step){.day = stay->booked_on, .stay = i};
        if (stay->cancelled_on != INT32_MAX)
            hotel->steps[hotel->step_count++] =
                (struct hotel_step){.day = stay->cancelled_on, .stay = i, .cancels = true};
    }
    qsort(hotel->steps, hotel->step_count, sizeof *hotel->steps, compare_steps);
}

/* ---- the calculation ---- */

static int32_t *nights_of(const struct hotel *hotel, const struct hotel_stay *stay)
{
    return hotel->taken + stay->type * hotel->night_count + stay->arrival - hotel->first_night;
}

/* Adds the change to each night of the stay; returns the most that is then taken on one. */
static int32_t change(struct hotel *hotel, const struct hotel_stay *stay, int32_t rooms)
{
    int32_t *nights = nights_of(hotel, stay);
    int32_t most = 0;
    for (int32_t i = 0; i < stay->departure - stay->arrival; i++) {
        nights[i] += rooms;
        most = nights[i] > most ? nights[i] : most;
    }
    return most;
}

static void make_nights(struct hotel *hotel)
{
    int32_t first = INT32_MAX;
    int32_t end = 0;
    for (uint32_t i = 0; i < hotel->stay_count; i++) {
        const struct hotel_stay *stay = &hotel->stays[i];
        first = stay->arrival < first ? stay->arrival : first;
        end = stay->departure > end ? stay->departure : end;
    }
    hotel->first_night = first;
    hotel->night_count = end - first;
    hotel->taken = calloc(HOTEL_TYPES * (size_t)(uint32_t)(end - first), sizeof *hotel->taken);
    if (hotel->taken == NULL)
        abort();
}

/* From the stays that were not cancelled; a type without a stay has one room. */
static void choose_capacity(struct hotel *hotel)
{
    int32_t busiest[HOTEL_TYPES] = {0};
    for (uint32_t i = 0; i < hotel->stay_count; i++) {
        const struct hotel_stay *stay = &hotel->stays[i];
        int32_t most = stay->cancelled_on != INT32_MAX ? 1 : change(hotel, stay, 1);
        busiest[stay->type] = most > busiest[stay->type] ? most : busiest[stay->type];
    }
    for (int type = 0; type < HOTEL_TYPES; type++) {
        hotel->capacity[type] = (busiest[type] * CAPACITY_PERCENT + 99) / 100;
        hotel->room_nights += (int64_t)hotel->capacity[type] * hotel->night_count;
    }
    memset(hotel->taken, 0,
           HOTEL_TYPES * (size_t)(uint32_t)hotel->night_count * sizeof *hotel->taken);
}

static void calculate(struct hotel *hotel)
{
    for (uint32_t i = 0; i < hotel->step_count; i++) {
        struct hotel_stay *stay = &hotel->stays[hotel->steps[i].stay];
        if (!hotel->steps[i].cancels) {
            stay->granted = change(hotel, stay, 1) <= hotel->capacity[stay->type];
            if (!stay->granted)
                (void)change(hotel, stay, -1);
        } else if (stay->granted) {
            (void)change(hotel, stay, -1);
        }
    }
}

/* ---- the whole ---- */

enum usher_status hotel_open(const char *path, struct hotel *hotel, struct usher_error *err)
{
    *hotel = (struct hotel){0};
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        usher_error_set(err, USHER_EXIT_BAD_INPUT, "could not open \"%s\": %s", path,
                        strerror(errno));
        return USHER_FATAL;
    }
    enum usher_status status = read_stays(path, file, hotel, err);
    fclose(file);
    if (status != USHER_OK)
        return status;
    make_steps(hotel);
    make_nights(hotel);
    choose_capacity(hotel);
    calculate(hotel);
    return USHER_OK;
}

enum usher_reason hotel_expected(const struct hotel *hotel, const struct hotel_step *step)
{
    if (hotel->stays[step->stay].granted)
        return USHER_REASON_NONE;
    return step->cancels ? USHER_UNKNOWN_BOOKING : USHER_NOT_ENOUGH;
}

int64_t hotel_pool_count(const struct hotel *hotel)
{
    int64_t types = 0;
    for (int type = 0; type < HOTEL_TYPES; type++)
        types += hotel->capacity[type] > 0;
    return types * hotel->night_count;
}

int64_t hotel_taken(const struct hotel *hotel)
{
    int64_t taken = 0;
    for (int32_t i = 0; i < HOTEL_TYPES * hotel->night_count; i++)
        taken += hotel->taken[i];
    return taken;
}

void hotel_close(struct hotel *hotel)
{
    free(hotel->stays);
    free(hotel->steps);
    free(hotel->taken);
    *hotel = (struct hotel){0};
}
