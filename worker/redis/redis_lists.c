/*
 * The table of the keys that list resources.
 */
#include "worker/redis/redis_lists.h"

#include <string.h>

const struct redis_list redis_lists[REDIS_LISTS] = {
    {"resources", "zset", NULL, NULL},
    {"resources:kind:seats", "set", "seats", NULL},
    {"resources:kind:standing", "set", "standing", NULL},
    {"resources:kind:rooms", "set", "rooms", NULL},
    {"resources:kind:stock", "set", "stock", NULL},
    {"resources:kind:mixed", "set", "mixed", NULL},
    {"resources:state:open", "set", NULL, "open"},
    {"resources:state:closed", "set", NULL, "closed"},
};

bool redis_list_has(const struct redis_list *list, const struct display_update *update)
{
    return update->listed && (!list->kind || strcmp(list->kind, update->kind) == 0) &&
           (!list->state || strcmp(list->state, update->state) == 0);
}
