/* Prints what a probe found: pools as a table, rooms as a calendar. */
#ifndef USHER_PRODUCER_PROGRAM_PROBE_TEXT_H
#define USHER_PRODUCER_PROGRAM_PROBE_TEXT_H

#include "producer/terminal/terminal.h"
#include "usher/message.h"

/* Prints the pools of an answer; nothing where it has none. */
void probe_print(const struct usher_answer *answer, const struct terminal *terminal);

#endif
