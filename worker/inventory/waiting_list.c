/*
 * Classes of parties by what they want, and in a round a heap of the classes that have a party to
 * be tried, by the number of that party: the oldest of all comes first. PURE.
 */
#include "worker/inventory/waiting_list.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "producer/base/allocate.h"
#include "producer/codec/stored.h"
#include "worker/base/array.h"
#include "worker/inventory/names.h"

static struct booking *party_of(struct list_node *node)
{
    return ENTRY_OF(node, struct booking, party);
}

static struct booking *booking_of(struct list_node *node)
{
    return ENTRY_OF(node, struct booking, use);
}

/* ---- the round ---- */

static int64_t next_no(const struct waiting_class *class)
{
    assert(class->next);
    return party_of(class->next)->row.no;
}

static void put(struct waiting_list *list, uint32_t at, struct waiting_class *class)
{
    assert(at <= list->round_count);
    list->round[at] = class;
    class->round_index = at;
}

/* Moves a class whose next party is another one, or that is new at `at`, to where it belongs. */
static void sift(struct waiting_list *list, uint32_t at, struct waiting_class *class)
{
    assert(at <= list->round_count);
    while (at > 0 && next_no(class) < next_no(list->round[(at - 1) / 2])) {
        put(list, at, list->round[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    for (uint32_t child; (child = 2 * at + 1) < list->round_count; at = child) {
        if (child + 1 < list->round_count &&
            next_no(list->round[child + 1]) < next_no(list->round[child]))
            child++;
        if (next_no(class) < next_no(list->round[child]))
            break;
        put(list, at, list->round[child]);
    }
    put(list, at, class);
}

static void end_class(struct waiting_list *list, struct waiting_class *class)
{
    assert(list->round_count > 0 && list->round[class->round_index] == class);
    class->next = NULL;
    struct waiting_class *last = list->round[--list->round_count];
    if (last != class)
        sift(list, class->round_index, last);
}

/* Goes on to the next party of the class, if it was there when the round began. */
static void pass(struct waiting_list *list, struct waiting_class *class)
{
    assert(class->next);
    struct list_node *newer = class->next->newer;
    if (!newer || party_of(newer)->row.no > list->last_no) {
        end_class(list, class);
        return;
    }
    class->next = newer;
    sift(list, class->round_index, class);
}

/* ---- what a class needs ---- */

static void add_need(struct waiting_class *class, struct waiting_need need)
{
    class->needs =
        array_room(class->needs, class->need_count, &class->need_limit, sizeof *class->needs);
    class->needs[class->need_count++] = need;
}

static void need_seats(struct waiting_class *class, const struct resource *resource,
                       const struct usher_item *item)
{
    for (uint32_t i = 0; i < item->seat_count; i++) {
        struct waiting_need need = {.quantity = 1};
        if (names_find_seat(resource, item->seats[i], &need.pool, &need.unit))
            add_need(class, need);
        else
            class->unknown = true;
    }
}

static void need_nights(struct waiting_class *class, const struct resource *resource,
                        const struct usher_item *item)
{
    const struct pool_name *name = resource_name(resource, item->pool);
    for (int32_t night = item->from; night < item->to; night++) {
        const struct pool *pool = name ? resource_night(resource, name, night) : NULL;
        if (pool)
            add_need(class, (struct waiting_need){pool->row.index, UINT32_MAX, item->quantity});
        else
            class->unknown = true;
    }
}

static void need_quantity(struct waiting_class *class, const struct resource *resource,
                          const struct usher_item *item)
{
    const char *const *names = item->section_count > 0 ? item->sections : &item->pool;
    uint32_t count = item->section_count > 0 ? item->section_count : 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct pool_name *name = resource_name(resource, names[i]);
        if (name)
            add_need(class, (struct waiting_need){name->pool, UINT32_MAX,
                                                  count == 1 ? item->quantity : 0});
        else
            class->unknown = true;
    }
}

/* By the names of now; whoever changes them calls waiting_rename. */
static void resolve(struct waiting_class *class, const struct resource *resource)
{
    class->need_count = 0;
    class->unknown = class->judged = false;
    for (uint32_t i = 0; i < class->request.item_count; i++) {
        const struct usher_item *item = &class->request.items[i];
        if (item->kind == USHER_SEATS)
            need_seats(class, resource, item);
        else if (item->kind == USHER_ROOM)
            need_nights(class, resource, item);
        else
            need_quantity(class, resource, item);
    }
}

static bool is_met(const struct resource *resource, const struct waiting_need *need)
{
    assert(need->pool < resource->pool_count);
    const struct pool *pool = &resource->pools[need->pool];
    if (need->unit != UINT32_MAX)
        return need->unit < pool->units.count && units_is_free(&pool->units, need->unit);
    return pool_free(pool) >= need->quantity;
}

/* Units that return to one pool may leave more of a quota to another, or of a rate. */
static bool is_concerned(const struct resource *resource, const struct waiting_class *class)
{
    bool returned = resource->waiting.concerns_all || resource->terms.quotas.count > 0 ||
                    resource->terms.rate_count > 0;
    for (uint32_t i = 0; i < class->need_count; i++) {
        if (!is_met(resource, &class->needs[i]))
            return false;
        returned = returned || resource->pools[class->needs[i].pool].returned;
    }
    return returned && !class->unknown;
}

/* ---- rounds ---- */

void waiting_mark_all_classes(struct resource *resource)
{
    resource->waiting.concerns_all = true;
}

void waiting_rename(struct resource *resource)
{
    struct waiting_list *list = &resource->waiting;
    for (struct table_node *node = table_each(&list->classes, NULL); node;
         node = table_each(&list->classes, node))
        resolve(ENTRY_OF(node, struct waiting_class, by_wants), resource);
    waiting_judge_all(resource);
}

void waiting_judge_all(struct resource *resource)
{
    resource->waiting.unjudged = resource->waiting.parties.oldest;
}

struct booking *waiting_unjudged(struct resource *resource)
{
    struct list_node *node = resource->waiting.unjudged;
    if (!node)
        return NULL;
    resource->waiting.unjudged = node->newer;
    return booking_of(node);
}

bool waiting_is_judged(const struct resource *resource)
{
    return !resource->waiting.unjudged;
}

void waiting_note_return(struct resource *resource, uint32_t pool)
{
    assert(pool < resource->pool_count);
    struct waiting_list *list = &resource->waiting;
    if (list->count == 0 || resource->pools[pool].returned)
        return; /* a party that joins later has seen what is free */
    list->returned = array_room(list->returned, list->returned_count, &list->returned_limit,
                                sizeof *list->returned);
    list->returned[list->returned_count++] = pool;
    resource->pools[pool].returned = true;
}

static void end_round(struct resource *resource)
{
    struct waiting_list *list = &resource->waiting;
    list->concerns_all = false;
    while (list->returned_count > 0)
        resource->pools[list->returned[--list->returned_count]].returned = false;
}

/* Thousands of units may return, each starting the round again: classes are collected only once. */
void waiting_begin(struct resource *resource)
{
    struct waiting_list *list = &resource->waiting;
    list->last_no = list->count > 0 ? booking_of(list->parties.newest)->row.no : 0;
    list->begins = true;
}

static void gather_round(struct resource *resource)
{
    struct waiting_list *list = &resource->waiting;
    list->begins = false;
    list->round =
        memory_realloc(list->round, list->classes.count + 1, sizeof(struct waiting_class *));
    list->round_count = 0;
    for (struct table_node *node = table_each(&list->classes, NULL); node;
         node = table_each(&list->classes, node)) {
        struct waiting_class *class = ENTRY_OF(node, struct waiting_class, by_wants);
        class->next = NULL;
        if (party_of(class->parties.oldest)->row.no > list->last_no ||
            !is_concerned(resource, class))
            continue;
        class->next = class->parties.oldest;
        sift(list, list->round_count, class);
        list->round_count++;
    }
}

struct booking *waiting_next(struct resource *resource)
{
    struct waiting_list *list = &resource->waiting;
    if (list->begins)
        gather_round(resource);
    if (list->round_count > 0)
        return party_of(list->round[0]->next);
    end_round(resource);
    return NULL;
}

void waiting_pass_party(struct resource *resource, struct booking *booking)
{
    assert(booking->waits_in);
    struct waiting_class *class = booking->waits_in;
    if (class->next == &booking->party)
        pass(&resource->waiting, class);
}

void waiting_pass_class(struct resource *resource, struct booking *booking)
{
    assert(booking->waits_in);
    if (booking->waits_in->next)
        end_class(&resource->waiting, booking->waits_in);
}

/* ---- who is on the list ---- */

static struct waiting_class *find_class(const struct waiting_list *list, const char *wants)
{
    size_t size = wants_shared_size(wants);
    struct table_node *node = table_find(&list->classes, table_hash_bytes(wants, size, 0));
    for (; node; node = table_find_next(node)) {
        struct waiting_class *class = ENTRY_OF(node, struct waiting_class, by_wants);
        if (strlen(class->wants) == size && memcmp(class->wants, wants, size) == 0)
            return class;
    }
    return NULL;
}

static void free_class(struct waiting_class *class)
{
    free(class->needs);
    usher_arena_deinit(&class->arena);
    free(class);
}

static struct waiting_class *add_class(struct resource *resource, const char *wants)
{
    struct waiting_list *list = &resource->waiting;
    struct waiting_class *class = memory_calloc(1, sizeof *class);
    struct usher_error err;
    if (wants_decode(wants, strlen(wants), &class->arena, &class->request, &err) != USHER_OK) {
        free_class(class);
        return NULL;
    }
    size_t size = wants_shared_size(wants);
    class->wants = usher_arena_text(&class->arena, wants, size);
    table_add(&list->classes, &class->by_wants, table_hash_bytes(wants, size, 0));
    resolve(class, resource);
    return class;
}

bool waiting_add(struct resource *resource, struct booking *booking)
{
    assert(!booking->waits_in && booking->row.state == BOOKING_WAITING);
    struct waiting_list *list = &resource->waiting;
    struct waiting_class *class = booking->row.wants ? find_class(list, booking->row.wants) : NULL;
    if (!class && booking->row.wants)
        class = add_class(resource, booking->row.wants);
    if (!class)
        return false;
    struct list_node *older = class->parties.newest; /* most come in the order of their numbers */
    while (older && party_of(older)->row.no > booking->row.no)
        older = older->older;
    list_add_after(&class->parties, older, &booking->party);
    older = list->parties.newest;
    while (older && booking_of(older)->row.no > booking->row.no)
        older = older->older;
    list_add_after(&list->parties, older, &booking->use);
    booking->waits_in = class;
    list->count++;
    return true;
}

void waiting_remove(struct resource *resource, struct booking *booking)
{
    assert(booking->waits_in && resource->waiting.count > 0);
    struct waiting_list *list = &resource->waiting;
    struct waiting_class *class = booking->waits_in;
    waiting_pass_party(resource, booking);
    if (list->unjudged == &booking->use)
        list->unjudged = booking->use.newer;
    list_remove(&class->parties, &booking->party);
    list_remove(&list->parties, &booking->use);
    booking->waits_in = NULL;
    list->count--;
    if (class->parties.count == 0) {
        table_remove(&list->classes, &class->by_wants);
        free_class(class);
    }
}

void waiting_each(struct resource *resource, void (*visit)(struct booking *booking, void *self),
                  void *self)
{
    struct list_node *node = resource->waiting.parties.oldest;
    for (struct list_node *newer; node; node = newer) {
        newer = node->newer;
        visit(booking_of(node), self);
    }
}

struct booking *waiting_oldest(const struct resource *resource)
{
    struct list_node *oldest = resource->waiting.parties.oldest;
    return oldest ? booking_of(oldest) : NULL;
}

uint32_t waiting_position(const struct booking *booking, uint32_t max)
{
    assert(booking->waits_in);
    uint32_t position = 0;
    for (const struct list_node *node = &booking->use; node; node = node->older)
        if (position++ == max)
            return 0;
    return position;
}

void waiting_deinit(struct waiting_list *list)
{
    for (struct table_node *node = table_each(&list->classes, NULL), *next; node; node = next) {
        next = table_each(&list->classes, node);
        free_class(ENTRY_OF(node, struct waiting_class, by_wants));
    }
    table_deinit(&list->classes);
    free(list->round);
    free(list->returned);
    *list = (struct waiting_list){0};
}
