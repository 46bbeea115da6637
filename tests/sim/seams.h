/* What the simulator's parts need of the seams: descriptors that a thread can poll, and output. */
#ifndef TESTS_SIM_SEAMS_H
#define TESTS_SIM_SEAMS_H

#include <stdbool.h>

/* Returns a descriptor of the running machine that is readable whenever the function says so. */
int seams_descriptor(bool (*readable)(const void *), const void *self);

/* Forgets all descriptors: another run begins. */
void seams_reset(void);

extern bool seams_verbose;  /* the log of the product goes to standard error */
extern int seams_exit_code; /* with which a machine last ended itself; 0: none did */

#endif
