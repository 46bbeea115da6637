/*
 * Layouts in memory, by name. PURE.
 */
#ifndef USHER_WORKER_INVENTORY_CHARTS_H
#define USHER_WORKER_INVENTORY_CHARTS_H

#include <stdint.h>

#include "worker/model/rows.h"

struct inventory;

/*
 * Returns the layout of that name, if it is known in memory (prefetch_collect asks for it); NULL.
 * Valid until a layout is added. Those of resources are added with them.
 */
const struct chart_row *inventory_chart(struct inventory *inventory, const char *name);

/* Keeps a copy of a layout under its name. */
void inventory_add_chart(struct inventory *inventory, const struct chart_row *chart);

/* ---- for the inventory only ---- */

/* Notes that layouts added since the last seal are of that batch. */
void inventory_seal_charts(struct inventory *inventory, uint64_t batch);
void inventory_trim_charts(struct inventory *inventory);
void inventory_free_charts(struct inventory *inventory);

#endif
