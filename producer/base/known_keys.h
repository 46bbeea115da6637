/*
 * The environment keys of all programs of the project.
 */
#ifndef USHER_PRODUCER_BASE_KNOWN_KEYS_H
#define USHER_PRODUCER_BASE_KNOWN_KEYS_H

/*
 * All keys, with their _FILE variants, so that one environment can serve all programs and a
 * misspelt key is still found. NULL ends the list.
 */
extern const char *const option_known_keys[];

#endif
