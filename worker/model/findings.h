/*
 * What a check of something outside finds, line by line, and who is told. PURE.
 */
#ifndef USHER_WORKER_MODEL_FINDINGS_H
#define USHER_WORKER_MODEL_FINDINGS_H

enum finding_level {
    FINDING_GOOD = 0,
    FINDING_NOTE,    /* legal, but worth knowing */
    FINDING_WARNING, /* it works, but should not stay so */
    FINDING_WRONG,
};

/* Receives each: how it is, and text that says what was found and what to do. */
struct findings {
    void *context;
    void (*tell)(void *context, enum finding_level level, const char *text);
};

#endif
