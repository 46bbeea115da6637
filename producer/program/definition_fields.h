/* The fields of a define that are one text each: of flags, and of the columns of a CSV file. */
#ifndef USHER_PRODUCER_PROGRAM_DEFINITION_FIELDS_H
#define USHER_PRODUCER_PROGRAM_DEFINITION_FIELDS_H

#include "usher/message.h"

/* As their flags are called, with _ for -: name, starts_at, ttl. NULL ends it. */
extern const char *const definition_field_names[];

/* Whether such a field is an instant. */
bool definition_is_instant(const char *field);

/* Sets such a field. `what` names the place in complaints; text is borrowed. FATAL, exit code 64.
 */
USHER_MUST_CHECK enum usher_status definition_set(struct usher_definition *definition,
                                                  const char *field, const char *what,
                                                  const char *text, struct usher_error *err);

#endif
