/*
 * The look-up of resources with all that is needed to decide about them.
 */
#ifndef USHER_WORKER_POSTGRES_PG_LOAD_RESOURCES_H
#define USHER_WORKER_POSTGRES_PG_LOAD_RESOURCES_H

#include "worker/postgres/pg_lookup.h"

extern const struct pg_lookup pg_load_resources;

/* Reads another page of the first resource, where result->rest says that there is one. */
USHER_MUST_CHECK enum usher_status pg_load_resource_page(const struct pg_lookup_reading *reading,
                                                         struct usher_error *err);

#endif
