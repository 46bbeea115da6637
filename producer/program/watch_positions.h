/* Where a watch is to go on: watch --after PARTITION:SEQ:OFFSET. */
#ifndef USHER_PRODUCER_PROGRAM_WATCH_POSITIONS_H
#define USHER_PRODUCER_PROGRAM_WATCH_POSITIONS_H

#include "producer/base/options.h"
#include "usher/client.h"

/* Sets the positions, in the arena of the options. FATAL with exit code 64: one cannot be read. */
USHER_MUST_CHECK enum usher_status watch_positions_read(struct options *options,
                                                        struct usher_watch_settings *settings,
                                                        struct usher_error *err);

#endif
