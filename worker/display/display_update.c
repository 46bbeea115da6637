/*
 * The life of an update. PURE.
 */
#include "worker/display/display_update.h"

#include <stdlib.h>

#include "worker/inventory/shared_catalogue.h"

void display_update_free(struct display_update *update)
{
    if (update) {
        catalogue_release(update->catalogue);
        usher_arena_deinit(&update->arena);
        free(update);
    }
}
