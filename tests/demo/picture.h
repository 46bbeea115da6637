/*
 * Prints a hall as Redis shows it: one character a seat, in rows as the chart has them, at two
 * moments beside each other.
 */
#ifndef PICTURE_H
#define PICTURE_H

#include "screen.h"

struct picture_moment {
    const char *title;
    const char *seats; /* of `:seats` */
};

/* `layout` is the JSON of `usher:layout:…`. REJECT where it and the seats do not fit each other. */
USHER_MUST_CHECK enum usher_status picture_print(const struct screen *screen, const char *layout,
                                                 const struct picture_moment moments[2],
                                                 struct usher_error *err);

#endif
