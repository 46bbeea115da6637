/* Shows an answer to people, in a few lines. The wire format is for programs: --json. */
#ifndef USHER_PRODUCER_PROGRAM_ANSWER_TEXT_H
#define USHER_PRODUCER_PROGRAM_ANSWER_TEXT_H

#include <stdio.h>

#include "usher/message.h"

/* Prints the answer: a line, then indented what was given, returned, missing, or is free. */
void answer_print(const struct usher_answer *answer, FILE *out);

#endif
