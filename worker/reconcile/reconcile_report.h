/* To whom the proofs about one resource say what they found. */
#ifndef USHER_WORKER_RECONCILE_RECONCILE_REPORT_H
#define USHER_WORKER_RECONCILE_RECONCILE_REPORT_H

/* Receives lines of text. */
struct reconcile_report {
    void *context;
    /* A difference: something is not as it must be. */
    void (*line)(void *context, const char *resource, const char *text);
    /* Something that is legal, but worth knowing. */
    void (*note)(void *context, const char *resource, const char *text);
};

#endif
