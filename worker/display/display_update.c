/*
 * The life of an update. PURE.
 */
#include "worker/display/display_update.h"

#include <stdlib.h>

#include "worker/display/display_picture.h"

void display_update_free(struct display_update *update)
{
    if (update) {
        if (update->undrawn)
            catalogue_release(update->undrawn->catalogue);
        usher_arena_deinit(&update->arena);
        free(update);
    }
}
