/* Prints an answer for people, in a few lines. The wire format is for programs: --json. */
#ifndef USHER_PRODUCER_PROGRAM_ANSWER_TEXT_H
#define USHER_PRODUCER_PROGRAM_ANSWER_TEXT_H

#include <stdio.h>

#include "usher/message.h"

/* Prints the answer: one line, then what was given, returned, missing or is free, indented. */
void answer_print(const struct usher_answer *answer, FILE *out);

#endif
