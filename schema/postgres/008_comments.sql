-- What everything is, for people who look at the database: psql, DBeaver, Metabase and dbt show it. A line each: relation,
-- relation.column or function(), and what it is.

set local role usher_owner;

do $do$
declare
    said text[];
begin
    for said in
        select regexp_match(line, '^\s*(\S+)\s+(.*)$')
          from regexp_split_to_table($comments$
    schema_migration             migrations that were applied; read with usher-worker migrate list
    schema_migration.version     number of the file: 1 is 001_….sql
    schema_migration.name        its name
    schema_migration.sha256      of its content: an applied file never changes
    schema_migration.applied_at  when
    schema_migration.applied_by  the login that migrated

    schema_compatible          migrations that programs of earlier versions do not notice
    schema_compatible.version  of the migration, as in schema_migration
    schema_compatible.program  programs of this version of the schema and of later ones can work with it

    shard           name of this database among several; no row: it is the only one
    shard.name      permanent
    shard.named_at  when it was named
    shard.named_by  the login that named it

    partition_state                          where each partition stands; written with every batch, by usher.advance and usher.acquire only
    partition_state.partition                number of the Kafka partition
    partition_state.partition_count          of the topic of requests; permanent
    partition_state.epoch                    how many times the partition has changed owner: who writes under an older one is refused
    partition_state.next_offset              of the first request in Kafka that is not decided; null: none was
    partition_state.next_seq                 number of the next decision
    partition_state.now                      time of the last decision; the next one is not earlier
    partition_state.published_seq            answers up to this decision are known to be in Kafka
    partition_state.published_result_offset  where the last of them lies in the topic of answers
    partition_state.fingerprint_offset       of a request that was decided …
    partition_state.fingerprint              … and a digest of it: tells whether the topic is still the same
    partition_state.owner                    the worker, and a token of its assignment
    partition_state.backend_pid              of its session, by which a stuck predecessor is terminated
    partition_state.backend_start            of that session: a pid may be used again
    partition_state.acquired_at              when it took the partition
    partition_state.shard                    shard in which the partition lives; null: this database, which has no name, or with a destination: in none for now
    partition_state.destination              shard to which the partition is being moved; null: it stays
    partition_state.holds                    that are open; null: whoever takes the partition next counts them
    partition_state.parties                  that wait; null: whoever takes the partition next counts them

    partition_halt              why a worker stopped to decide; holds as long as the partition is in that epoch
    partition_halt.partition    number of the Kafka partition
    partition_halt.epoch        of the partition then
    partition_halt.halted_at    when
    partition_halt.next_offset  of the request at which it stands; null: none was decided
    partition_halt.reason       what deploy/README.md, "A partition is halted", has advice for
    partition_halt.resumed_at   when a person had the partition try again; null: nobody did
    partition_halt.resumed_by   who

    partition_skip               requests that an operator passed over: they are never decided
    partition_skip.partition     number of the Kafka partition
    partition_skip.epoch         of the partition, which began with it
    partition_skip.from_offset   of the first request that was passed over; null: the start of the log
    partition_skip.to_offset     of the first request behind them
    partition_skip.records       how many of them Kafka still had
    partition_skip.next_seq      of the partition then
    partition_skip.reason        why, as the operator said
    partition_skip.skipped_at    when
    partition_skip.skipped_by    who
    partition_skip.placeholders  loss of answers that were not published: how many others are published in their place

    partition_topic                topics that an operator accepted as new ones
    partition_topic.partition      number of the Kafka partition
    partition_topic.epoch          of the partition, which began with it
    partition_topic.topics         requests, results or both
    partition_topic.next_offset    where the partition stood in the topic of requests; null: nowhere yet
    partition_topic.next_seq       of the partition then
    partition_topic.published_seq  answers behind this one are published from then on
    partition_topic.reason         why, as the operator said
    partition_topic.accepted_at    when
    partition_topic.accepted_by    who

    partition_move            partitions that were moved here, and rows of them that were deleted elsewhere since
    partition_move.partition  number of the Kafka partition
    partition_move.moved_at   when
    partition_move.source     shard from which it was moved, or in which its rows were deleted
    partition_move.target     shard to which it was moved; null: the rows that it had left in the source were deleted
    partition_move.moved_by   the login that did it

    clock_reset            times at which the clock of a partition was set back: only there decisions are not in the order of their times
    clock_reset.partition  number of the Kafka partition
    clock_reset.seq        the first decision after it
    clock_reset.was        time of the last decision before
    clock_reset.became     the server's clock
    clock_reset.reset_by   the login that did it

    pruned               resources that are long over and were deleted with all that belonged to them
    pruned.resource_no   number that it had
    pruned.partition     of its requests
    pruned.resource      its id
    pruned.epoch         of the partition, which began with it
    pruned.ended_at      when it was over
    pruned.last_seq      answers were published up to this one; none of its decisions was behind it
    pruned.decisions     how many were deleted
    pruned.bookings      how many were deleted
    pruned.dead_letters  how many were deleted
    pruned.pruned_at     when
    pruned.pruned_by     who
    pruned.hidden_at     when its keys in Redis were deleted; null: they were not yet

    chart            layouts of halls, each once per partition, shared by shows
    chart.partition  number of the Kafka partition
    chart.hash       sha256:… of the content: its name
    chart.content    JSON {"sections":[{"section":…,"rows":[…]}]}, canonical

    seat_row            the rows of each chart, from which seats get their names; made from it by a trigger
    seat_row.partition  number of the Kafka partition
    seat_row.chart      the chart's hash
    seat_row.section    name of the section, which is a pool
    seat_row.start      unit of its first seat: units count the seats of a section row by row
    seat_row.seats      how many seats it has
    seat_row.label      name of the row: seats are called LABEL-NUMBER
    seat_row.first      number of its first seat
    seat_row.names      of its seats, where they have names of their own; else null
    seat_row.places     of its seats, for people, where their names are not; else null

    resource              what is sold under one serial order: a show, a hotel, a shop
    resource.no           its number: partition << 48 | seq of the decision that made it
    resource.partition    number of the Kafka partition of its requests
    resource.id           its name, the key of its requests
    resource.state        draft, open, closed
    resource.name         for people
    resource.venue        for people
    resource.description  for people
    resource.timezone     IANA name: where its nights and times are
    resource.currency     ISO 4217
    resource.starts_at    of a show
    resource.ends_at      of a show
    resource.hold_ttl_s   how long a hold lasts, in seconds; null: as the worker is configured
    resource.rev          seq of the last decision that changed it
    resource.chart        hash of its layout; null: no seats
    resource.opens_at     sold from here on; null: at once
    resource.closes_at    … and before this; null: as long as it is open
    resource.strategy     which seats are given first: best, first, random; null: best
    resource.terms        JSON {"limits":{…},"quotas":[…]}; null: none
    resource.cancelling   all of its bookings are being cancelled: the note of the close, or an empty text; null: they are not
    resource.unserved     a party on its waiting list may fit now, and has not been looked at
    resource.takings      price of all that is sold, in minor units of the currency
    resource.promised     price of all that is held, in minor units of the currency
    resource.by_rate      JSON {"pool index":{"rate":units held and sold}}, of the pools that a quota of a rate has; null: none

    pool              units of a resource with one price: a section, a room type on one night, a product
    pool.no           its number: partition << 48 | number
    pool.resource_no  the resource
    pool.index        its place among the pools of the resource, by which lines of bookings name it
    pool.kind         seats (have numbers), section (by capacity), room (of one night), product
    pool.name         of the section, room type, or product
    pool.night        of a room: the date on which it begins
    pool.title        for people
    pool.capacity     how many units there are, those of overbook included
    pool.price        of a unit, in minor units of the currency: of the rate that is meant where none is named
    pool.overbook     how many of the capacity are more than there are
    pool.over         how many more are taken than the capacity, by the house (overbook)
    pool.rates        JSON [["adult",4500],…] in their order; null: `price` is the only one
    pool.properties   JSON object, as defined
    pool.held         units that are held, of sections by capacity and products; the others have allocations
    pool.sold         units that are sold, likewise
    pool.blocked      units that are blocked, likewise
    pool.restrictions  of a room: JSON [{"min_stay_arrival":7},…], the stay restrictions of its date; null: none
    pool.spares       whether who does not ask for the feature accessible gets seats with this feature last

    booking              a hold, sale, block or waiting party: what one customer has of one resource
    booking.no           its number: partition << 48 | seq of the decision that made it
    booking.partition    number of the Kafka partition
    booking.resource_no  the resource
    booking.created_at   when it was made; of one from the waiting list, when it was served; of a part, when the whole was made
    booking.expires_at   when it ends by itself: a hold, a waiting party, a block with a time
    booking.total        price of its units, in minor units of the currency
    booking.state        held, confirmed (sold), blocked, waiting, or over: released, expired, cancelled, left
    booking.op           the operation that made it: hold, book, block
    booking.request_id   of the request that made it: the booking's id
    booking.client       the service that sent it
    booking.customer     its present owner; null: the house
    booking.cart         name of the cart that it is in
    booking.payment      reference that came with the confirm
    booking.note         why it was blocked or cancelled
    booking.lines        JSON [[item, pool index, price, units, layout, rate], …]; units: numbers, or a quantity
    booking.meta         JSON that came with the request
    booking.ttl_s        its hold time, in seconds, for when its cart is used
    booking.wants        JSON of what a waiting party asked for
    booking.sold_at      when it was confirmed, or booked at once; null: it was not

    former_owner           customers who had a booking before it was transferred
    former_owner.customer  who
    former_owner.booking   number of the booking

    allocation          the seats, and rooms of a night, that are held, sold or blocked; the primary key forbids a second owner
    allocation.pool     number of the pool
    allocation.booking  number of the booking
    allocation.unit     number of the seat or room within the pool

    decision                what was decided: history, and the answers that go out, at once
    decision.seq            number of the decision within its partition, without gaps
    decision.source_offset  of its request in Kafka; null: nobody asked (expiry, waiting list, closed resource, returned block)
    decision.resource_no    the resource; null: there is none of that name
    decision.booking_no     the one booking that it made or changed
    decision.decided_at     when
    decision.appended_at    when its request was appended in Kafka
    decision.partition      number of the Kafka partition
    decision.epoch          of the partition then
    decision.codec          version in which body and hashes are written
    decision.first          the first answer to its request id: the one that a repeated request gets again
    decision.replayed       a repeat: the answer is that of an earlier decision
    decision.cloud_events   the request came with CloudEvents headers, so the answer has them, too
    decision.id_hash        of the request id: finds the first answer
    decision.content_hash   of what was asked: the same id with another content is refused
    decision.outcome        held, confirmed, …, refused, invalid
    decision.op             operation of the request
    decision.reason         of refused and invalid ones
    decision.request_id     as sent; null where it could not be read
    decision.resource       as sent
    decision.key            of the answer's record, where it is not the resource
    decision.client         the service that asked
    decision.traceparent    header of the request, passed on
    decision.body           of the answer: JSON without braces, and without what the other columns say
    decision.booking_nos    all bookings that it changed, where there may be several: of a cart, or of a transfer of a part

    cart_decision            decisions about several bookings, by booking
    cart_decision.booking    number of the booking
    cart_decision.partition  of the decision
    cart_decision.seq        of the decision

    dead_letter                records that could not be processed, with their bytes
    dead_letter.partition      number of the Kafka partition
    dead_letter.seq            of the decision that says so
    dead_letter.source_offset  of the record in the topic of requests
    dead_letter.truncated      the record was larger than what is kept of it
    dead_letter.reason         why
    dead_letter.key            of the record
    dead_letter.value          of the record

    quarter              what resources sold, took back and refused, by quarters of an hour
    quarter.resource_no  resource; partition << 48: none that is known
    quarter.began_at     when the quarter of an hour began
    quarter.outcome      sold, cancelled, exchanged, refused
    quarter.rate         rate, or reason of a refusal; empty: none, or one of too many
    quarter.client       client that made the booking, or the request; empty: none, or one of too many
    quarter.bookings     how many, or requests that were refused; each once, with the first of its rates
    quarter.units        how many, negative if they came back
    quarter.amount       their price, in minor units of the currency, negative if they came back

    home            partitions that live in this database
    home.partition  number of the partition

    resource_here  resources of these; for other views

    booking_change             when each booking was changed; for other views
    booking_change.booking     number of the booking
    booking_change.changed_at  when

    booking_line             the lines of bookings; for other views
    booking_line.booking     number of the booking
    booking_line.place       of the line, from 1
    booking_line.pool_index  the pool, as numbered within its resource
    booking_line.price       of a unit, in minor units
    booking_line.quantity    units
    booking_line.units       JSON array of their numbers; empty where they are only counted
    booking_line.rate        name of the rate; null: the only one

    pool_units              what of each pool is taken; for other views
    pool_units.no           number of the pool
    pool_units.resource_no  number of its resource
    pool_units.kind         seats, section, room, product
    pool_units.name         section, room type, or product
    pool_units.night        of a room
    pool_units.capacity     units, those of overbook included
    pool_units.overbook     how many of the capacity are more than there are
    pool_units.over         how many more are taken than the capacity, by the house (overbook)
    pool_units.price        of a unit, in minor units of the currency
    pool_units.rates        JSON [["adult",4500],…] in their order
    pool_units.held         units that are held
    pool_units.sold         units that are sold
    pool_units.blocked      units that are off sale
    pool_units.index        place of the pool among those of its resource
    pool_units.restrictions  of a room: JSON [{"min_stay_arrival":7},…], the stay restrictions of its date; null: none

    bookings                 what became of each booking; by customer, booking_number or resource
    bookings.resource        what it is for
    bookings.booking         its id: the id of the request that made it
    bookings.customer        its present owner; null: the house
    bookings.state           held, confirmed (sold), blocked, waiting, or over: released, expired, cancelled, left
    bookings.units           how many it has, or had when it was over
    bookings.total           price of its units, in minor units of the currency
    bookings.currency        ISO 4217
    bookings.created_at      when it was made; of one from the waiting list, when it was served; of a part, when the whole was made
    bookings.sold_at         when it was confirmed
    bookings.ends_at         when it ends by itself: a hold, a waiting party, a block with a time
    bookings.cart            name of the cart that it is in
    bookings.client          the service that sent it
    bookings.payment         reference that came with the confirm
    bookings.note            why it was blocked or cancelled
    bookings.meta            JSON that came with the request
    bookings.items           JSON: its units, as answers have them
    bookings.op              the operation that made it: hold, book, block
    bookings.partition       of its resource
    bookings.booking_number  as usher.booking_number says

    open_holds                 holds that are open now; by resource
    open_holds.resource        what is held
    open_holds.customer        who holds it
    open_holds.booking         id of the booking
    open_holds.units           how many units
    open_holds.total           their price, in minor units of the currency
    open_holds.currency        ISO 4217
    open_holds.held_since      when it was made, or served from the waiting list
    open_holds.ends_at         when it expires
    open_holds.cart            name of the cart
    open_holds.client          the service that asked
    open_holds.items           JSON: its units, as answers have them
    open_holds.booking_number  as usher.booking_number says

    blocks                 what the house has taken off sale; by resource
    blocks.resource        of what
    blocks.booking         id of the block: unblock names it
    blocks.note            why
    blocks.units           how many are left in it
    blocks.blocked_since   when it was made
    blocks.returns_at      when its units return by themselves; null: never
    blocks.client          the service that asked
    blocks.items           JSON: its units, as answers have them
    blocks.booking_number  as usher.booking_number says

    cart_booking                 bookings in carts; for usher.cart, and what puts carts of several databases together
    cart_booking.customer        whose it is
    cart_booking.cart            name of the cart
    cart_booking.resource        of which resource it is
    cart_booking.booking         its id
    cart_booking.state           as in usher.bookings
    cart_booking.op              request that made it
    cart_booking.units           how many
    cart_booking.total           their price, in minor units of the currency
    cart_booking.currency        of the total
    cart_booking.created_at      when it was made
    cart_booking.sold_at         when it was sold
    cart_booking.ends_at         when it ends, or ended, unless it is sold
    cart_booking.items           JSON: its units as answers have them
    cart_booking.booking_number  permanent number
    cart_booking.changed_at      when it was made or changed last

    cart              bookings of a customer under one name, over all resources; by cart, or customer
    cart.customer     whose it is
    cart.cart         its name
    cart.state        held, waiting, confirmed (sold), over: expired, cancelled; or mixed: a part is sold, and another, held then, is not
    cart.bookings     how many, those that are over included
    cart.units        how many are held or sold
    cart.totals       JSON {"EUR":9000}: price of these, in minor units of each currency
    cart.created_at   when its first booking was made
    cart.modified_at  when any of its bookings was made or changed last
    cart.sold_at      when any of its bookings was sold last
    cart.lines        JSON: its bookings, with their units as answers have them

    waiting           the waiting lists: who is next, and what they want; by resource
    waiting.resource  what they wait for
    waiting.position  1 is next
    waiting.customer  who waits
    waiting.booking   id of the party
    waiting.items     JSON: what they want
    waiting.since     when they began to wait
    waiting.until     when they stop
    waiting.cart      name of the cart
    waiting.client    the service that asked
    waiting.wants     JSON: the whole wish

    purchase                 a customer's tickets, one row per sold unit; by customer, booking_number or resource
    purchase.customer        who has it
    purchase.resource        what it is for
    purchase.name            of the resource
    purchase.venue           of the resource
    purchase.starts_at       of the resource
    purchase.booking         id of the booking
    purchase.kind            seats, section, room, product
    purchase.pool            section, room type, or product
    purchase.night           of a room
    purchase.seat            name of the seat
    purchase.unit            number of the seat or room; null where the pool is only counted
    purchase.price           paid for it, in minor units of the currency
    purchase.rate            name of the rate, where the pool has several
    purchase.currency        ISO 4217
    purchase.payment         reference that came with the confirm
    purchase.cart            name of the cart
    purchase.created_at      when it was first held, or served from the waiting list
    purchase.meta            JSON that came with the request
    purchase.sold_at         when it was confirmed
    purchase.booking_number  of the booking, as usher.booking_number says
    purchase.place           of a seat: where it is, for people, as Block D, row 1, seat 7; its name, where that is for people

    door_list                 who sits where: sold seats and rooms, one row each, and what bookings have of sections by capacity and products; by resource
    door_list.resource        of what
    door_list.pool            section, room type, or product
    door_list.night           of a room
    door_list.seat            name of the seat
    door_list.unit            number of the seat or room; null where the pool is only counted
    door_list.quantity        units: 1 of seats and rooms
    door_list.customer        whose they are
    door_list.booking         id of the booking
    door_list.rate            name of the rate, where the pool has several
    door_list.price           of one of them, in minor units of the currency
    door_list.currency        ISO 4217
    door_list.payment         reference that came with the confirm
    door_list.sold_at         when it was confirmed
    door_list.cart            name of the cart
    door_list.meta            JSON that came with the request
    door_list.name            of the resource
    door_list.starts_at       of the resource
    door_list.booking_number  of the booking, as usher.booking_number says
    door_list.place           of a seat: where it is, for people, as Block D, row 1, seat 7; its name, where that is for people

    sales           what is sold, by pool, rate and the hour in which it was; what was cancelled since is left out; by resource
    sales.resource  of what
    sales.hour      in which it was confirmed
    sales.pool      section, room type, or product
    sales.night     of a room
    sales.rate      name of the rate, where the pool has several
    sales.units     how many
    sales.amount    what they cost, in minor units of the currency
    sales.currency  ISO 4217

    catalogue              all resources; numbers are counted where they are selected
    catalogue.resource     its id
    catalogue.kind         seats, standing, rooms, stock, mixed
    catalogue.name         for people
    catalogue.venue        for people
    catalogue.state        draft, open, closed
    catalogue.starts_at    of a show
    catalogue.ends_at      of a show
    catalogue.opens_at     sold from here on; null: at once
    catalogue.closes_at    … and before this; null: as long as it is open
    catalogue.timezone     IANA name
    catalogue.currency     ISO 4217
    catalogue.total        units of all its pools, overbook included
    catalogue.held         units that are held
    catalogue.sold         units that are sold
    catalogue.blocked      units that are off sale
    catalogue.waiting      parties on its waiting list
    catalogue.takings      price of all that is sold, in minor units of the currency
    catalogue.description  for people
    catalogue.hold_ttl_s   how long a hold lasts, in seconds; null: as the worker is configured
    catalogue.strategy     which seats are given first: best, first, random
    catalogue.terms        JSON {"limits":{…},"quotas":[…]}; null: none
    catalogue.chart        name of its layout; null: no seats
    catalogue.rev          seq of the last decision that changed it
    catalogue.partition    of its requests

    availability           free, held, sold and blocked units of each pool; by resource
    availability.resource  whose pool it is
    availability.name      of the resource
    availability.state     of the resource: draft, open, closed
    availability.kind      seats, section, room, product
    availability.pool      section, room type, or product
    availability.night     of a room
    availability.free      units that can be sold: those that nobody has, as many as the quotas leave
    availability.held      units that are held
    availability.sold      units that are sold
    availability.blocked   units that are off sale
    availability.total     all of them, overbook included
    availability.overbook  how many of the total are more than there are
    availability.over      how many more are taken than the total, by the house (overbook): what comes back first reduces this excess
    availability.price     of a unit, in minor units of the currency
    availability.rates     JSON [["adult",4500],…] in their order
    availability.currency  ISO 4217
    availability.place     of the pool among those of the resource, in the order in which they were defined; each night of a room has its own
    availability.restrictions  of a room: JSON [{"min_stay_arrival":7},…], the stay restrictions of its date; null: none
    availability.left_at_rates  JSON {"rate":units left}, of the rates that a quota limits or ends; null: none

    hall           layout of the hall of each resource that has seats
    hall.resource  whose
    hall.chart     name of the layout
    hall.layout    JSON {"sections":[{"section":…,"rows":[…]}]}

    taken_seats           seats that are held, sold or blocked; by resource
    taken_seats.resource  of what
    taken_seats.section   name of the section
    taken_seats.unit      number of the seat within the section, row by row
    taken_seats.state     held, confirmed (sold), blocked
    taken_seats.customer  whose it is; null: the house
    taken_seats.booking   id of the booking
    taken_seats.ends_at   when the hold expires, or the block returns

    history                 everything that ever happened: a row for each decision and booking that it made or changed
    history.decided_at      when
    history.resource        what it was about
    history.customer        whose booking it made or changed; of a refusal the answer has it
    history.op              operation of the request
    history.outcome         held, confirmed, …, refused, invalid
    history.reason          of refused and invalid ones
    history.detail          why, for people: of a refusal, or the note of the request that ended the booking
    history.booking         id of the booking
    history.total           of the booking then, in minor units of the currency
    history.currency        ISO 4217
    history.unasked         nobody asked: expiry, waiting list, closed resource, returned block
    history.replayed        a repeat of an earlier answer
    history.client          the service that asked
    history.request_id      of the request
    history.partition       of the decision
    history.seq             of the decision: (partition, seq) is the order
    history.source_offset   of the request in Kafka
    history.epoch           of the partition then
    history.answer          JSON: the body of the answer
    history.booking_number  of the booking, as usher.booking_number says
    history.units           JSON: all groups of units in the answer, taken and returned

    audit             decisions that sold units or reversed a sale; usher.audit_between has those of a time
    audit.decided_at  when
    audit.resource    what was sold
    audit.client      the service that asked
    audit.customer    who bought, or had
    audit.op          operation of the request
    audit.outcome     confirmed, exchanged, cancelled
    audit.booking     id of the booking
    audit.cart        name of the cart
    audit.amount      change of the takings, in minor units of the currency
    audit.currency    ISO 4217
    audit.payment     reference that came with the confirm
    audit.units       JSON: what was sold
    audit.returned    JSON: what came back
    audit.unasked     nobody asked: the resource was closed
    audit.cause       why, where nobody asked
    audit.request_id  of the request
    audit.partition   of the decision
    audit.seq         of the decision

    pace           what resources sold, took back and refused in each quarter of an hour, by rate and client
    pace.resource  resource
    pace.began_at  when the quarter of an hour began
    pace.outcome   sold, cancelled, exchanged, refused
    pace.rate      rate, or reason of a refusal; null: none, or one of too many
    pace.client    client that made the booking, or the request; null: none, or one of too many
    pace.bookings  how many, or requests that were refused; each once, with the first of its rates
    pace.units     how many, negative if they came back
    pace.amount    their price, in minor units of the currency, negative if they came back
    pace.currency  of the amount
    pace.timezone  where the resource is

    refusals           requests that were refused, by operation, reason and hour; by resource
    refusals.resource  of what, as sent
    refusals.hour      in which they were refused
    refusals.op        operation of the requests
    refusals.outcome   refused, or invalid: could not be read
    refusals.reason    why
    refusals.requests  how many
    refusals.last_at   the last of them

    dead_letters                records that could not be processed, with what was answered
    dead_letters.partition      number of the Kafka partition
    dead_letters.seq            of the decision that says so
    dead_letters.source_offset  of the record in the topic of requests
    dead_letters.decided_at     when
    dead_letters.reason         why
    dead_letters.detail         what is wrong with it, for people
    dead_letters.resource       that it names, where it could be read
    dead_letters.request_id     where it could be read
    dead_letters.client         the service that sent it, where it could be read
    dead_letters.size           of the value, in bytes
    dead_letters.truncated      the record was larger than what is kept of it
    dead_letters.key            of the record
    dead_letters.value          of the record

    partitions                  who owns which partition, and where it stands
    partitions.partition        number of the Kafka partition
    partitions.owner            the worker that took it last
    partitions.connected        that worker's session is there
    partitions.epoch            how many times the partition has changed owner
    partitions.acquired_at      when its owner took it
    partitions.next_offset      of the first request in Kafka that is not decided; null: none was
    partitions.next_seq         number of the next decision
    partitions.published_seq    answers up to this decision are known to be in Kafka
    partitions.last_decided_at  time of the last decision
    partitions.halted_at        when it stopped to decide; null: it has not
    partitions.halted           why: an operator must act
    partitions.partition_count  of the topic of requests
    partitions.shard            shard in which the partition lives; null: this database, which has no name, or with a destination: in none for now
    partitions.destination      shard to which the partition is being moved; null: it stays

    partition_events              when partitions halted, were moved on by an operator, or had their time set back
    partition_events.partition    number of the Kafka partition
    partition_events.happened_at  when
    partition_events.event        halted (and still is), was halted, skipped, loss accepted, new topic of requests or results, new topics, clock reset, moved a → b, forgot moved in a
    partition_events.from_offset  of the request at which it stood
    partition_events.to_offset    of the request from which on it went on
    partition_events.records      skipped: how many requests of those that Kafka still had; loss accepted: how many decisions
    partition_events.reason       why
    partition_events.by_whom      who did it, or ended the halt
    partition_events.over_at      when a person ended the halt

    rows_of_chart()      the rows of seats of a chart
    add_seat_rows()      keeps seat_row as chart is
    line_quantity()      units of a line of a booking
    line_units()         numbers of the units of a line of a booking; null for each that has none
    expect()             raises an error (US003) if a statement touched another number of rows
    expect_one()         raises an error (US003) unless a statement wrote its row
    advance()            the guard, first statement of every batch: moves a partition on, or raises an error if it is another's (US001) or stands elsewhere (US002)
    acquire()            takes a partition for the next epoch
    name_shard()         gives this database its name among several; for usher_owner
    place()              places a partition that was never started in this shard; for usher_owner
    withdraw()           takes a partition that was never started out of this shard; for usher_owner
    stays()              true, or raises if a partition is being moved; for usher_owner
    page_decisions()     decisions of the page that a move copies; for usher_owner
    page_bookings()      bookings that these changed
    page_resources()     resources that these changed, or that have work left
    page_units()         numbered units of these bookings
    midnight()           when the day began in a time zone; in UTC if it is unknown
    booking_number()     number of a booking by its resource and id: where history, bookings and purchase go by an index
    booking_numbers()    numbers of the bookings of that id, in all resources: the index of each is searched
    decisions_on()       decisions on requests of that id, in all resources, as keys of usher.history: the index of each is searched
    seq_at()             the first decision of a partition at that time or later
    partition_span()     the decisions of each partition in [from, until), as ranges of seq
    audit_between()      usher.audit for [from, until), without reading what is earlier or later
    decisions_between()  the latest decisions of [from, until), so many of each partition, on a request id or all, as keys of usher.history
    carts_between()      carts of which a booking was made or changed in [from, until), without reading what is earlier or later
    reset_clock()        sets the time of a partition back to the server's clock; for usher_owner
    end_halt()           notes that a person ended a halt
    skip()               passes over requests that cannot be decided; for usher_owner
    resume()             has a halted partition try again; for usher_owner
    accept_topic()       takes topics for new ones; for usher_owner
    prunable()           closed resources that were over before a time
    prune_begin()        begins to prune a resource; for usher_owner
    prune_end()          ends it, and begins the next epoch of its partition; for usher_owner
    $comments$, E'\n') as line
         where line ~ '\S'
    loop
        execute format('comment on %s %s is %L',
                       case when said[1] like '%()' then 'function' when said[1] like '%.%' then 'column'
                            when exists (select from pg_views where schemaname = 'usher' and viewname = said[1]) then 'view'
                            else 'table' end,
                       'usher.' || rtrim(said[1], '()'), said[2]);
    end loop;
    -- The columns of a view that has all of a table's.
    for said in
        select array[attname::text, col_description(attrelid, attnum)]
          from pg_attribute
         where attrelid = 'usher.resource'::regclass and attnum > 0
    loop
        execute format('comment on column usher.resource_here.%I is %L', said[1], said[2]);
    end loop;
end
$do$;

comment on index usher.pruned_shown is 'resources whose keys in Redis are still to be deleted';
comment on index usher.shard_only is 'a database has one name at most';
