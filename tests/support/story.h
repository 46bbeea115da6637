/*
 * Stories: requests one after another, with what each answer says, played three times: with all in
 * memory, with a memory that forgets what it may after every batch, and with a new owner after
 * every step; the last two with loads that leave something for the next one. Whoever tells them
 * apart has lost something.
 */
#ifndef TESTS_STORY_H
#define TESTS_STORY_H

#include "core_places.h"

/*
 * A step is a request and a part of its answer, with single quotes; or
 *     {STORY_UNREQUESTED, says}   the next decision that nobody asked for, since the last request
 *     {STORY_NOTHING, ""}     there is no such decision any more
 *     {STORY_AFTER "2000", says}  so many milliseconds later, what is due has ended; the first
 *                                 decision of that says so, or "" if nothing is due
 *     {STORY_LATER "2000", ""}    so many milliseconds later, and nothing was done meanwhile
 */
#define STORY_UNREQUESTED "unasked"
#define STORY_NOTHING "nothing"
#define STORY_AFTER "after "
#define STORY_LATER "later "

/* Says on standard error what went otherwise. At the end everything must add up. */
bool story_play(const struct rig_step *steps, size_t count);
#define STORY(steps) story_play(steps, sizeof(steps) / sizeof(*(steps)))

/*
 * The same, and once more by a worker that decides everything a minute after it was appended: for
 * stories in which no hold ends.
 */
bool story_play_late(const struct rig_step *steps, size_t count);
#define STORY_OF_TIMES(steps) story_play_late(steps, sizeof(steps) / sizeof(*(steps)))

#endif
