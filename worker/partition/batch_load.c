/*
 * Asks the record for what memory lacks, and takes in what came.
 */
#include "worker/partition/batch_load.h"

#include "worker/inventory/inventory_load.h"
#include "worker/inventory/resources.h"
#include "worker/partition/partition_state.h"
#include "worker/partition/retention.h"
#include "worker/partition/trace.h"
#include "worker/rules/prefetch.h"

/* It was not in memory before, as a rule: then the display shares the catalogue that it has now. */
static void display_loaded(struct partition *p, const struct loaded_resource *loaded)
{
    const struct resource *resource = inventory_peek(p->inventory, loaded->row.no);
    bool same = resource && resource->row.rev == loaded->row.rev;
    display_load(p->display, loaded, same ? resource->catalogue : NULL);
}

/* A load into the open batch: what is asked for, and what came. */
struct load {
    struct load_request request;
    struct load_result result;
};

/* All pages of it: a large resource has thousands, and the watchdog and a stop need not wait. */
static enum usher_status read_load(struct partition *p, struct batch *batch, struct load *load,
                                   struct usher_error *err)
{
    const struct record_port *record = &p->ports.record;
    (void)partition_moved(p);
    enum usher_status status =
        record->load(record->self, &load->request, &batch->arena, &load->result, err);
    while (status == USHER_OK && load_remains(&load->result) && !p->stopping) {
        (void)partition_moved(p);
        status = record->load_more(record->self, &load->request, &batch->arena, &load->result, err);
    }
    if (status == USHER_OK && load_remains(&load->result)) {
        usher_error_set(err, USHER_EXIT_UNAVAILABLE, "could not load: the partition is given up");
        status = USHER_RETRY;
    }
    return status;
}

/* What was committed was decided before the next decision, as was what is in memory. */
static enum usher_status check_revs(const struct partition *p, const struct load_result *result,
                                    struct usher_error *err)
{
    for (uint32_t i = 0; i < result->resource_count; i++) {
        const struct resource_row *row = &result->resources[i].row;
        if (row->rev >= p->position.next_seq) {
            usher_error_set(err, USHER_EXIT_BUG,
                            "could not load resource \"%s\": its rev %lld is of no decision yet",
                            row->id, (long long)row->rev);
            return USHER_HALT;
        }
    }
    return USHER_OK;
}

static enum usher_status load_once(struct partition *p, struct batch *batch, struct load *load,
                                   struct usher_error *err)
{
    struct load_request *request = &load->request;
    struct load_result *result = &load->result;
    request->halvings = p->portion.halvings;
    int64_t began_us = partition_monotonic_us(p);
    enum usher_status status = read_load(p, batch, load, err);
    trace_load(p, request, result, partition_monotonic_us(p) - began_us, status != USHER_OK);
    if (status != USHER_OK)
        return status;
    retention_make_room(p, result);
    status = check_revs(p, result, err);
    if (status == USHER_OK)
        status = inventory_load(p->inventory, request, result, err);
    if (status != USHER_OK)
        return status;
    for (uint32_t i = 0; i < result->resource_count; i++)
        display_loaded(p, &result->resources[i]);
    return USHER_OK;
}

/* Whether more is asked for in a second round than a load could serve at once. */
static bool left_some(const struct load *load)
{
    return load->result.resources_served < load->request.resource_no_count ||
           load->result.tallies_served < load->request.tally_count;
}

/*
 * Loads what follows from the first load: resources of what is due and with work left, then their
 * customers. What a load leaves comes with the next batch, but for the customers of what did come:
 * without them nothing could be decided.
 */
static enum usher_status load_more(struct partition *p, struct batch *batch,
                                   const struct input *inputs, uint32_t count, int64_t until_ms,
                                   struct usher_error *err)
{
    struct load load;
    bool only_counts = false;
    enum usher_status status = USHER_OK;
    while (status == USHER_OK &&
           prefetch_collect_more(p->inventory, inputs, count, until_ms, &batch->arena,
                                 &load.request) &&
           (!only_counts || prefetch_only_counts(&load.request))) {
        bool counts = load.request.resource_no_count == 0;
        status = load_once(p, batch, &load, err);
        if (status == USHER_OK && left_some(&load)) {
            if (counts)
                break;
            only_counts = true;
        }
    }
    return status;
}

static enum usher_status load_all(struct partition *p, struct batch *batch,
                                  const struct input *inputs, uint32_t *count, int64_t until_ms,
                                  struct usher_error *err)
{
    struct load load;
    enum usher_status status = USHER_OK;
    if (prefetch_collect(p->inventory, inputs, *count, until_ms, &batch->arena, &load.request)) {
        status = load_once(p, batch, &load, err);
        if (status == USHER_OK)
            *count = prefetch_covered(p->inventory, inputs, *count, &load.request, &load.result,
                                      &batch->arena);
    }
    if (status == USHER_OK)
        status = load_more(p, batch, inputs, *count, until_ms, err);
    if (status == USHER_OK)
        *count = prefetch_counted(p->inventory, inputs, *count);
    return status;
}

enum usher_status batch_load(struct partition *p, const struct input *inputs, uint32_t *count,
                             int64_t until_ms, struct usher_error *err)
{
    struct batch *batch = pipeline_open_batch(&p->pipeline);
    int64_t began_us = partition_monotonic_us(p);
    uint32_t asked = *count;
    enum usher_status status = load_all(p, batch, inputs, count, until_ms, err);
    if (p->stopping && status == USHER_RETRY) {
        *count = 0;
        return USHER_OK;
    }
    if (status == USHER_RETRY)
        portion_failed(&p->portion, asked, partition_taken_until(p));
    else if (asked > 0)
        portion_loaded(&p->portion, batch->next_offset, asked, *count);
    pipeline_open_times(&p->pipeline)->load_us += partition_monotonic_us(p) - began_us;
    return status;
}
