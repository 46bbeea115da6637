/*
 * The sending thread of the load generator.
 */
#ifndef USHER_PRODUCER_PROGRAM_LOAD_SEND_H
#define USHER_PRODUCER_PROGRAM_LOAD_SEND_H

/* The sending thread: sends on time, then serves deliveries until it is stopped. */
void *load_send(void *load);

#endif
