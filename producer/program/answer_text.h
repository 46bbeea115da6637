/*
 * Prints an answer for people, in a few lines. The wire format is for programs: --json. What a
 * probe found is a table of pools and a calendar of rooms.
 */
#ifndef USHER_PRODUCER_PROGRAM_ANSWER_TEXT_H
#define USHER_PRODUCER_PROGRAM_ANSWER_TEXT_H

#include "producer/terminal/terminal.h"
#include "usher/message.h"

/* Prints the answer: one line, then what was given, returned, missing or is free, indented. */
void answer_print(const struct usher_answer *answer, const struct terminal *terminal);

/* The same to those who did not ask: with the time, and whom it is for. */
void answer_print_event(const struct usher_answer *answer, const struct terminal *terminal);

#endif
