/*
 * Stories on the core, each played three times: with all in memory, with a memory that forgets
 * what it may after every batch, and with a new owner after every step. The last two have loads
 * that leave something for the next one. Whoever tells them apart has lost something.
 */
#ifndef TESTS_STORY_H
#define TESTS_STORY_H

#include "story_text.h"

/* Says on standard error what went otherwise. At the end everything must add up. */
bool story_play(const struct story *story);

#endif
