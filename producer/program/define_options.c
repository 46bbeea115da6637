/* The options of define. */
#include "producer/program/define_options.h"
#include "producer/program/option_groups.h"
#include "producer/program/option_tables.h"
#include "producer/terminal/terminal.h"

static const struct option_spec resource_specs[] = {
    {.name = "name", .value_name = "TEXT", .help = "of the resource, for people"},
    {.name = "venue", .value_name = "TEXT", .help = "where"},
    {.name = "description", .value_name = "TEXT", .help = "what"},
    {.name = "timezone", .value_name = "NAME", .help = "as Europe/London"},
    {.name = "currency",
     .value_name = "CODE",
     .help = "ISO 4217, as GBP: a price is 45.00 then; without it, 4500 (minor units)"},
    {.name = "starts-at", .value_name = "INSTANT", .help = "as 2026-12-24T19:30:00Z, or +2h"},
    {.name = "ends-at", .value_name = "INSTANT", .help = "as 2026-12-24T22:00:00Z"},
    {.name = "state",
     .choices = "draft|open|closed",
     .help = "whether it is on sale: a new resource is draft, not yet, unless this says open"},
    {.name = "opens-at", .value_name = "INSTANT", .help = "while open, sell from then on"},
    {.name = "closes-at", .value_name = "INSTANT", .help = "and until then"},
    OPTION_TTL("how long its holds last, as 15m"),
    {.name = "strategy",
     .choices = "best|first|random",
     .help = "seats for a quantity: the best (the default), the first of the chart, any"},
};
static const struct option_group resource_group = {"Resource", resource_specs,
                                                   OPTION_COUNT(resource_specs)};

static const struct option_spec pool_specs[] = {
    {.name = "section",
     .type = OPTION_LIST,
     .value_name = "SPEC",
     .help = "stalls:price=45.00,rows=A:20+B:22 (row:seats, or row:seats:first number; C-F:18 is "
             "four rows), or standing:rates=adult:20.00+child:10.00,capacity=300,overbook=10"},
    {.name = "room",
     .type = OPTION_LIST,
     .value_name = "SPEC",
     .help =
         "double:from=2026-01-01,to=2027-01-01,capacity=20,overbook=1,price=129.00 (or rates=); "
         "later ones override the nights that they cover"},
    {.name = "product",
     .type = OPTION_LIST,
     .value_name = "SPEC",
     .help = "programme:capacity=500,price=8.00,name=Programme (or rates=, overbook=)"},
    {.name = "plan",
     .value_name = "FILE",
     .help = "rows of a hall: a pretix seating plan, whose categories become sections, or JSON "
             "{\"sections\":[{\"section\":...,\"rows\":[...]}]}; see chart check"},
    {.name = "chart",
     .value_name = "NAME",
     .help = "rows of a hall that was defined before, by its sha256:... as chart check says it"},
    {.name = "rates",
     .type = OPTION_LIST,
     .value_name = "SPEC",
     .help = "prices of a section or product: stalls=adult:4500,child:2500, or balcony=3000"},
};
static const struct option_group pool_group = {"What is sold", pool_specs,
                                               OPTION_COUNT(pool_specs)};

static const struct option_spec terms_specs[] = {
    {.name = "limits",
     .type = OPTION_LIST,
     .value_name = "SPEC",
     .help = "units_min=1,units_per_request=8,units_per_customer=10,holds_per_customer=2, or none; "
             "all limits that were are replaced"},
    {.name = "limit-group",
     .type = OPTION_LIST,
     .value_name = "SPEC",
     .help = "units over several pools that a customer may have: stalls+balcony=4"},
    {.name = "quota",
     .type = OPTION_LIST,
     .value_name = "SPEC",
     .help = "units over several pools that may be sold: fire:pools=stalls+standing,limit=800; "
             "fire:pools= removes it"},
};
static const struct option_group terms_group = {"Terms", terms_specs, OPTION_COUNT(terms_specs)};

static const struct option_spec define_file_specs[] = {
    {.name = "file",
     .value_name = "FILE",
     .help = "the define as JSON instead of the flags above; - is standard input"},
    {.name = "shows",
     .value_name = "FILE",
     .help = "many resources, a line of CSV each, see above; - is standard input"},
};
static const struct option_group define_file_group = {"Files", define_file_specs,
                                                      OPTION_COUNT(define_file_specs)};

OPTION_TABLE(define_table, &resource_group, &pool_group, &terms_group, &define_file_group,
             &request_group, &output_options);
