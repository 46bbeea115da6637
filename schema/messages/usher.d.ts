// The messages of usher. Written by schema/types from the JSON Schemas in this folder: do not edit it.
//
// Write each request as an object literal of its type: TypeScript refuses a field that the type does not have, such as a
// mistyped one, only there. Outcomes, reasons and fields of answers may be added: keep a default branch.

// All fields, of which these are required, those are not there, and the rest has a type of its own.
type Message<Fields, Required extends keyof Fields, Absent extends keyof Fields, Rest extends keyof Fields> =
  Omit<Fields, Required | Absent | Rest> & { [F in Required]-?: Exclude<Fields[F], undefined> } & { [F in Absent]?: never }

interface RequestFields {
  /**
   * Idempotency key within the resource, chosen by the client; also the id of the booking that the
   * request creates
   */
  request_id?: RequestId
  /** What to do */
  op?: "define" | "open" | "close" | "hold" | "book" | "confirm" | "release" | "cancel" | "extend" | "exchange" | "transfer" | "leave" | "block" | "unblock" | "probe"
  /** The resource it concerns; equal to the record's key */
  resource?: RequestId
  /** The sending service; echoed in the answer */
  client?: RequestName
  /** Owner of the booking, opaque */
  customer?: RequestName
  /** The id of the request that created the booking; a probe is answered with how it stands */
  booking?: RequestId
  items?: Array<RequestItem>
  /** How long to hold, in seconds; capped by configuration */
  ttl_s?: number
  /** If decided later than this, nothing is taken: too_late */
  deadline?: RequestInstant
  /**
   * Groups bookings of one customer in one resource, 10,000 at most; using it restarts its holds, but a
   * probe does not; instead of a booking: all of them, up to 100,000 units
   */
  cart?: RequestName
  /** Reference kept with the sale, at most 128 bytes */
  payment?: string
  /**
   * The house acts: release, cancel, exchange and transfer without the customer, exchange also of a
   * block; hold, book and exchange of what is over (after closes_at or ends_at, nights before today), or
   * of a stay that is restricted, but not of what is closed, a draft or yet to open; hold and extend up
   * to `house_hold_total_s` of the limits
   */
  force?: boolean
  /**
   * Reason, for people, at most 256 bytes: kept with what hold, book and block make; what release,
   * cancel, leave and unblock end is answered with it as `detail`, and so is what close cancels
   */
  note?: string
  /** Opaque, stored with the booking; at most 1,024 bytes as canonical JSON */
  meta?: Record<string, unknown>
  /** If not everything is available: all or nothing, or as many as possible */
  shortage?: "all" | "partial"
  /** Hold: join the waiting list until then if not enough is free; nobody is served later */
  wait_until?: RequestInstant
  /** Block: unsold units return at this time */
  return_at?: RequestInstant
  /** Hold or book: the block from which the units are taken */
  from_block?: RequestId
  /**
   * Transfer: the new owner. With `items` that are not all of the booking, only of these units: they
   * become a new booking with the id of this request, and the new owner may be the same customer
   */
  to_customer?: RequestName
  /** Close: every booking is cancelled too, each with an unrequested answer */
  cancel_bookings?: boolean
  /**
   * Define: refused where the resource exists (`new`: already_exists), or where it does not (`existing`:
   * unknown_resource)
   */
  only?: "new" | "existing"
  /**
   * Exchange: a hold of the customer, whose units the booking may get beside those that it has; the hold
   * ends, and the rest of it returns. Prices are those at which the units were held
   */
  from_hold?: RequestId
  /**
   * With `force`, to record what is oversold. Hold, book, block, exchange and a late confirm take rooms,
   * places and pieces although capacity or quotas leave too few; a numbered seat that is taken is still
   * refused. Define may lower a capacity below what is taken, but not to 0. Units that come back first
   * reduce the excess, before anything is sold
   */
  overbook?: boolean
}

export type RequestDefine = Message<RequestFields, 'request_id' | 'resource', 'from_block' | 'from_hold' | 'items' | 'return_at' | 'to_customer' | 'wait_until', 'cancel_bookings' | 'op' | 'shortage'> & RequestDefinition & {
  shortage?: "all"
  cancel_bookings?: false
  op: "define"
}

export type RequestOpen = Message<RequestFields, 'request_id' | 'resource', 'from_block' | 'from_hold' | 'items' | 'only' | 'return_at' | 'to_customer' | 'wait_until', 'cancel_bookings' | 'op' | 'overbook' | 'shortage'> & {
  shortage?: "all"
  cancel_bookings?: false
  overbook?: false
  op: "open"
}

export type RequestClose = Message<RequestFields, 'request_id' | 'resource', 'from_block' | 'from_hold' | 'items' | 'only' | 'return_at' | 'to_customer' | 'wait_until', 'op' | 'overbook' | 'shortage'> & {
  shortage?: "all"
  overbook?: false
  op: "close"
}

export type RequestHold = Message<RequestFields, 'customer' | 'items' | 'request_id' | 'resource', 'from_hold' | 'only' | 'return_at' | 'to_customer', 'cancel_bookings' | 'op'> & {
  cancel_bookings?: false
  op: "hold"
}

export type RequestBook = Message<RequestFields, 'customer' | 'items' | 'request_id' | 'resource', 'from_hold' | 'only' | 'return_at' | 'to_customer' | 'wait_until', 'cancel_bookings' | 'op'> & {
  cancel_bookings?: false
  op: "book"
}

export type RequestConfirm = Message<RequestFields, 'customer' | 'request_id' | 'resource', 'from_block' | 'from_hold' | 'only' | 'return_at' | 'to_customer' | 'wait_until', 'cancel_bookings' | 'op' | 'shortage'> & {
  shortage?: "all"
  cancel_bookings?: false
  op: "confirm"
}

export type RequestRelease = Message<RequestFields, 'request_id' | 'resource', 'from_block' | 'from_hold' | 'items' | 'only' | 'return_at' | 'to_customer' | 'wait_until', 'cancel_bookings' | 'op' | 'overbook' | 'shortage'> & {
  shortage?: "all"
  cancel_bookings?: false
  overbook?: false
  op: "release"
}

export type RequestCancel = Message<RequestFields, 'request_id' | 'resource', 'from_block' | 'from_hold' | 'items' | 'only' | 'return_at' | 'to_customer' | 'wait_until', 'cancel_bookings' | 'op' | 'overbook' | 'shortage'> & {
  shortage?: "all"
  cancel_bookings?: false
  overbook?: false
  op: "cancel"
}

export type RequestExtend = Message<RequestFields, 'customer' | 'request_id' | 'resource' | 'ttl_s', 'from_block' | 'from_hold' | 'items' | 'only' | 'return_at' | 'to_customer' | 'wait_until', 'cancel_bookings' | 'op' | 'overbook' | 'shortage'> & {
  shortage?: "all"
  cancel_bookings?: false
  overbook?: false
  op: "extend"
}

export type RequestExchange = Message<RequestFields, 'booking' | 'items' | 'request_id' | 'resource', 'from_block' | 'only' | 'return_at' | 'to_customer' | 'wait_until', 'cancel_bookings' | 'op' | 'shortage'> & {
  shortage?: "all"
  cancel_bookings?: false
  op: "exchange"
}

export type RequestTransfer = Message<RequestFields, 'booking' | 'request_id' | 'resource' | 'to_customer', 'from_block' | 'from_hold' | 'only' | 'return_at' | 'wait_until', 'cancel_bookings' | 'op' | 'overbook' | 'shortage'> & {
  shortage?: "all"
  cancel_bookings?: false
  overbook?: false
  op: "transfer"
}

export type RequestLeave = Message<RequestFields, 'booking' | 'customer' | 'request_id' | 'resource', 'from_block' | 'from_hold' | 'items' | 'only' | 'return_at' | 'to_customer' | 'wait_until', 'cancel_bookings' | 'op' | 'overbook' | 'shortage'> & {
  shortage?: "all"
  cancel_bookings?: false
  overbook?: false
  op: "leave"
}

export type RequestBlock = Message<RequestFields, 'items' | 'request_id' | 'resource', 'from_block' | 'from_hold' | 'only' | 'to_customer' | 'wait_until', 'cancel_bookings' | 'op'> & {
  cancel_bookings?: false
  op: "block"
}

export type RequestUnblock = Message<RequestFields, 'booking' | 'request_id' | 'resource', 'from_block' | 'from_hold' | 'items' | 'only' | 'return_at' | 'to_customer' | 'wait_until', 'cancel_bookings' | 'op' | 'overbook' | 'shortage'> & {
  shortage?: "all"
  cancel_bookings?: false
  overbook?: false
  op: "unblock"
}

export type RequestProbe = Message<RequestFields, 'request_id' | 'resource', 'from_block' | 'from_hold' | 'only' | 'return_at' | 'to_customer' | 'wait_until', 'cancel_bookings' | 'op' | 'overbook' | 'shortage'> & {
  shortage?: "all"
  cancel_bookings?: false
  overbook?: false
  op: "probe"
}

/**
 * The value of a record in booking.requests.v1; the record's key is `resource`. UTF-8, at most 65,536
 * bytes (define: 1,000,000). Unknown fields are ignored, null means absent (leave it out), duplicate
 * keys are refused. Lengths are bytes, so text that is not ASCII reaches a limit before maxLength
 * does. At most 4,000 units in all items, nights counted singly; no seat twice; `from` before `to`.
 */
export type Request =
  | RequestDefine
  | RequestOpen
  | RequestClose
  | RequestHold
  | RequestBook
  | RequestConfirm
  | RequestRelease
  | RequestCancel
  | RequestExtend
  | RequestExchange
  | RequestTransfer
  | RequestLeave
  | RequestBlock
  | RequestUnblock
  | RequestProbe

/** 1 to 64 bytes of A-Z a-z 0-9 _ . : - */
export type RequestId = string

/**
 * 1 to 64 bytes of UTF-8 without control characters, quotes, backslashes, marks of direction, or
 * characters of no width but U+200C and U+200D
 */
export type RequestName = string

/** UTF-8 without control characters, quotes or backslashes */
export type RequestLabel = string

/** Name of a section, room type or product: a name without slashes */
export type RequestPool = string

/** A local date, never converted */
export type RequestNight = string

/**
 * Per unit, in minor units of the currency. A `price` given for a pool that has rates sets its rate
 * `standard`, which is added if there is none
 */
export type RequestPrice = number

/** A code that ISO 4217 has */
export type RequestCurrency = string

/**
 * RFC 3339 in UTC with Z and any fraction, after 1970 began: its first millisecond is refused, since a
 * zero is seldom meant
 */
export type RequestInstant = string

export type RequestChoices = Array<RequestName>

export type RequestNone = Array<unknown>

export type RequestWithoutChoice = {
  sections?: RequestNone
  features?: RequestNone
  avoid?: RequestNone
}

export type RequestWithoutMembers = {
  members?: unknown
}

/** So many of a party at one rate, who need the same features */
export type RequestMember = {
  quantity: number
  /** Rate name, as in an item */
  rate?: RequestName
  /** Section: every seat of the member has all of them */
  features?: Array<RequestName>
}

/**
 * Prices by rate name, in place of `price`. An item without a `rate` gets `standard`, otherwise the
 * first: the order of the members counts. A Go map, `jsonb` and the like reorder them, so name a
 * `rate` in every item
 */
export type RequestRates = Record<string, RequestPrice>

/**
 * One of: named seats; a quantity from a section, or from the first of several sections that has
 * enough; rooms for the nights from … to (excluded); a quantity of a product. A quantity may list its
 * `members`
 */
export type RequestItem = {
  seats?: Array<RequestName>
  section?: RequestPool
  /** In place of `section`: acceptable sections, in order; one of them serves the whole item */
  sections?: Array<RequestPool>
  product?: RequestPool
  room?: RequestPool
  from?: RequestNight
  to?: RequestNight
  quantity?: number
  /** Section: refuse rather than split */
  together?: boolean
  /**
   * Rate name. An item without one gets `standard`, or if the pool has no `standard`, the first of the
   * pool's rates that is on sale and has room for all units of the item in this pool: so rates can be
   * price tiers. In an exchange, units that the booking keeps keep their rate and price, unless another
   * rate is named; all others cost what that rate costs now
   */
  rate?: RequestName
  /** Section: every seat has all of them */
  features?: Array<RequestName>
  /** Section: no seat has any of them */
  avoid?: Array<RequestName>
  /**
   * Section or product, in place of `quantity`, `rate` and `features`: the people of a party, by rate
   * and by the features that they need. The party gets all of its units or none, also if `shortage` is
   * `partial`. All have seats with the features that they need, side by side if there is room. Units in
   * the answer name the member. At most 10 members of all items may need features
   */
  members?: Array<RequestMember>
}

/** Fields of a define: what is named is created or set, what is left out stays as it is */
export type RequestDefinition = {
  /** For people */
  name?: string
  /** For people */
  venue?: string
  /** For people */
  description?: string
  /**
   * Name in the IANA database (2026f): where it is. Nights before the date of that place are sold by
   * nobody but the house (`force`). Without it nobody knows the date there, and nights that are past are
   * sold like any others
   */
  timezone?: string
  /** Of all its prices; it stays while units are held, sold or blocked (`in_use`) */
  currency?: RequestCurrency
  state?: "draft" | "open" | "closed"
  /**
   * For people, and for the order of lists: it stops no sale. Only `state`, `opens_at`, `closes_at` and
   * `ends_at` do
   */
  starts_at?: RequestInstant
  /** From then on nothing is sold, but by the house (`force`). Not before `starts_at`, nor `closes_at` */
  ends_at?: RequestInstant
  /** How long a hold lasts if its request does not say; no hold is longer, and no extension */
  hold_ttl_s?: number
  sections?: Array<RequestSection>
  rooms?: Array<RequestRoom>
  products?: Array<RequestProduct>
  /** hold and book are accepted if they were appended at this time or later. Before `ends_at` */
  opens_at?: RequestInstant
  /** … and before this time, but by the house (`force`). Later than `opens_at` */
  closes_at?: RequestInstant
  /**
   * Which seats the allocator chooses. best: by rank, otherwise rows front to back and middle outward;
   * first: the first in chart order; random: any
   */
  strategy?: "best" | "first" | "random"
  limits?: RequestLimits
  quotas?: Array<RequestQuota>
  plan?: RequestPlan
  /**
   * In place of a plan: the name of a layout, as answered by a define with rows or a plan in this
   * partition
   */
  chart?: string
  restrictions?: Array<RequestRestriction>
}

/**
 * Limits per request, customer and hold; replaces all former limits. `units_min` is at most
 * `units_per_request`, `units_per_customer`, and the limit of a group with all pools on sale
 */
export type RequestLimits = {
  /** Minimum units per hold, book or exchange */
  units_min?: number
  /** Maximum units per hold, book or exchange */
  units_per_request?: number
  /** Units held or sold to one customer */
  units_per_customer?: number
  /** Open holds of one customer */
  holds_per_customer?: number
  /**
   * Seconds that a hold may last in all, from its creation on, however often it is extended or its cart
   * is used
   */
  hold_total_s?: number
  /**
   * Seconds that a hold of the house (`force`) may last in all, in place of `hold_total_s` and of the
   * maximum `hold_ttl_s`
   */
  house_hold_total_s?: number
  /** Units of one customer across several pools */
  groups?: Array<RequestGroup>
}

export type RequestGroup = {
  /** Names of sections, room types, products */
  pools: Array<RequestPool>
  /** Units; rooms are counted per night */
  limit: number
}

/**
 * A limit on units held or sold across several pools; for room types, per night. Identified by name:
 * empty `pools` removes it, a new one needs a limit, or with a rate `closes_at`
 */
export type RequestQuota = {
  quota: RequestName
  /** Names of sections, room types, products */
  pools: Array<RequestPool>
  /** Units; rooms are counted per night */
  limit?: number
  /**
   * Only units held and sold at this rate count. Define the quota before units of its pools are held or
   * sold. Its limit may not be below the units that count
   */
  rate?: RequestName
  /** The time at which the rate ends in these pools. With it `limit` may be left out */
  closes_at?: RequestInstant
}

/**
 * Rules for stays in a room type on the dates from `from` to the day before `to`, all of them defined
 * nights. A rule replaces an earlier rule of its kind, date and rate; rules that are not given stay
 */
export type RequestRestriction = {
  room: RequestPool
  /** The first date */
  from: RequestNight
  /** The date after the last */
  to: RequestNight
  /** Only the dates on these days of the week */
  days?: Array<"mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun">
  /**
   * Only stays at this rate, which each of the dates has. Without a rate: stays at all rates. A stay
   * must meet the rules for all rates and those for its own
   */
  rate?: RequestName
  /** Minimum nights of a stay that arrives on the date; 0 removes the rule */
  min_stay_arrival?: number
  /** Maximum nights of a stay that arrives on the date; 0 removes the rule */
  max_stay?: number
  /** Minimum nights of a stay with a night on the date; 0 removes the rule */
  min_stay_through?: number
  /** No stay arrives on the date; false removes the rule */
  closed_to_arrival?: boolean
  /** No stay departs on the date; false removes the rule */
  closed_to_departure?: boolean
  /** No stay has a night on the date; false removes the rule */
  stop_sell?: boolean
}

/**
 * A pretix seating plan (public schema 0.0.1). Each of its categories that has seats becomes a
 * section; its prices are given in `sections`. A plan that breaks a rule is refused with bad_chart, so
 * this schema is also a guide for plan authors; parts of a plan that do not concern seats are ignored
 */
export type RequestPlan = {
  [other: string]: unknown
  categories?: Array<{
    [other: string]: unknown
    name?: RequestPool
  }>
  zones?: Array<RequestPlanZone>
}

export type RequestPlanZone = {
  [other: string]: unknown
  name?: string
  position?: RequestPlanPosition
  rows?: Array<RequestPlanRow>
}

export type RequestPlanRow = {
  [other: string]: unknown
  row_number?: string
  position?: RequestPlanPosition
  seats?: Array<RequestPlanSeat>
}

/** `rank` and `features` are extensions made by usher */
export type RequestPlanSeat = {
  [other: string]: unknown
  /** The name of the seat, unique in the resource */
  seat_guid?: RequestName
  /** For people, where seat_guid is a UUID */
  seat_number?: string
  category?: RequestPool
  position?: RequestPlanPosition
  rank?: RequestRank
  features?: RequestChoices
}

/** Relative to the enclosing element */
export type RequestPlanPosition = {
  [other: string]: unknown
  x?: number
  y?: number
}

/** Lower is better; either all seats of a row have one, or none */
export type RequestRank = number

/**
 * Numbered seats in rows, or a number of places. `rows` replaces the section's rows; `capacity`, if
 * given too, must be their sum, or 0
 */
export type RequestSection = {
  section: RequestPool
  price?: RequestPrice
  /** Capacity of the pool; 0 removes it */
  capacity?: number
  rows?: Array<RequestRow>
  rates?: RequestRates
  /** Units that may be sold beyond the capacity; not for seats */
  overbook?: number
  /**
   * Whether usher chooses seats with the feature `accessible` last: an item that does not ask for this
   * feature gets them only if there is no room without them. True unless it is set to false
   */
  spare?: boolean
}

/** A name, or an empty text */
export type RequestRowName = string

/**
 * Seats are named row-number, unique in the resource, at most 64 bytes; or by `names`. Lists have one
 * element per seat
 */
export type RequestRow = {
  /** May be empty if `names` is given */
  row: RequestRowName
  seats: number
  /** Number of the first seat */
  first?: number
  /** Where the row is, for people */
  zone?: RequestName
  names?: Array<RequestName>
  ranks?: Array<RequestRank>
  x?: RequestPositions
  y?: RequestPositions
  /** By feature name: the places in the row that have it, counted from 1 */
  features?: Record<string, Array<number>>
  /** Of the seats, for people, where their names are not for people */
  numbers?: Array<RequestName>
}

export type RequestPositions = Array<number>

/**
 * A room type for the nights from … to (excluded); later entries override the nights that they cover.
 * From the first to the last night of each room type there are at most 250,000 nights in a resource,
 * all room types together (`limit_exceeded`); those that were removed do not count
 */
export type RequestRoom = {
  room: RequestPool
  from: RequestNight
  to: RequestNight
  /** Capacity of the pool; 0 removes it */
  capacity?: number
  price?: RequestPrice
  rates?: RequestRates
  /** Units that may be sold beyond the capacity; not for seats */
  overbook?: number
}

/** A stock of pieces */
export type RequestProduct = {
  product: RequestPool
  /** For people */
  name?: string
  /** Capacity of the pool; 0 removes it */
  capacity?: number
  price?: RequestPrice
  rates?: RequestRates
  /** Units that may be sold beyond the capacity; not for seats */
  overbook?: number
  /** Opaque; at most 1,024 bytes as canonical JSON */
  properties?: Record<string, unknown>
}

interface AnswerFields {
  /** True: the first answer, repeated for a request id that was answered before */
  replayed?: true
  /** Number of the decision in its partition, without gaps: 1, 2, 3, … */
  seq?: number
  /** How many times the partition had changed owner */
  epoch?: number
  /** Position of the request in the log; left out of unrequested answers */
  source?: AnswerSource
  /**
   * The request's; null if it could not be read: such an answer is `invalid`, and found by `source`, the
   * partition and offset of the request's delivery report, or in the place of one that was lost (`cause`
   * `lost`)
   */
  request_id?: AnswerId | null
  /** The request's; left out if it could not be read */
  op?: "define" | "open" | "close" | "hold" | "book" | "confirm" | "release" | "cancel" | "extend" | "exchange" | "transfer" | "leave" | "block" | "unblock" | "probe"
  resource?: AnswerId
  /** The request's */
  client?: AnswerName
  outcome?: "held" | "confirmed" | "released" | "extended" | "exchanged" | "cancelled" | "transferred" | "expired" | "waiting" | "left" | "blocked" | "defined" | "alive" | "refused" | "invalid"
  /**
   * Define: whether it created the resource or changed it; `same`: nothing differs from before, and
   * `rev` stays. Not in answers recorded before there was this field
   */
  change?: "created" | "changed" | "same"
  /** Why the request was refused. In order of precedence: if several apply, the first is given */
  reason?: "malformed" | "wrong_partition" | "id_reused" | "too_late" | "unknown_resource" | "already_exists" | "bad_chart" | "unknown_chart" | "in_use" | "not_on_sale" | "unknown_booking" | "not_owner" | "already_confirmed" | "already_released" | "already_cancelled" | "not_confirmed" | "not_held" | "not_waiting" | "not_blocked" | "hold_expired" | "not_in_booking" | "limit_exceeded" | "unknown_pool" | "unknown_seat" | "unknown_rate" | "unknown_feature" | "restricted" | "unit_taken" | "not_enough" | "not_together" | "internal"
  /**
   * Whether a request with a new id may succeed later: of more seats together than any row has, of more
   * units than there are (but with `shortage` `partial`), of a show that has ended, and of nights that
   * are over, it is false
   */
  retryable?: boolean
  /**
   * For people: why it was refused, or the `note` of the request that ended a booking; of a close with
   * `cancel_bookings`, in the answers about the bookings that it ended; of a waiting party that left
   * because it cannot be served any more, the reason, and what it means
   */
  detail?: string
  /**
   * Fields of the request that are unknown and were passed over, most likely mistyped: the first 10,
   * each cut to 64 bytes. Not in an `invalid` answer; a repeat names those of the first request
   */
  ignored?: Array<string>
  /** True: a decision without a request, by time, the waiting list or the house */
  unasked?: true
  /**
   * `resource_changed`: of a waiting party that, as the resource was defined since, cannot be served any
   * more (`left`), or waits until another time (`waiting`); `lost`: in the place of an answer that was
   * lost before it was published, so that seqs stay dense
   */
  cause?: "expiry" | "waiting_list" | "resource_changed" | "resource_closed" | "block_returned" | "lost"
  /** Id of the booking; in a cart, each group of units names its own */
  booking?: AnswerId
  /** Owner of the booking */
  customer?: AnswerName
  cart?: AnswerName
  payment?: string
  /**
   * Units that the booking holds, has bought or keeps off sale; of a transfer with `items` those of the
   * new booking, each group with the booking that it left
   */
  units?: AnswerUnits
  /**
   * Units that were returned; in an exchange with `from_hold` those of the hold name it: nobody paid for
   * them
   */
  returned?: AnswerUnits
  /** The lines that fell short: of a refusal, or of a request with `shortage` partial */
  items?: Array<AnswerShortfall>
  /**
   * Of a refused hold, book or exchange, where the resource has a limit of units or holds of each
   * customer: the newest open hold of the same customer that has a seat which is taken (`unit_taken`),
   * units of a pool or night of which there is too little (`not_enough`, `not_together`), or units that
   * count against the limit (`limit_exceeded`). What is sold from a block is short of the block: there
   * it is not said
   */
  own_hold?: AnswerId
  /**
   * If the allocator chose seats: whether those of each item by itself are side by side. It does not say
   * that two items are beside each other: a party that must not be split asks for all of its seats in
   * one item
   */
  together?: boolean
  /** How many of the units exceed the capacity */
  overbooked?: number
  /**
   * Sum of the prices of all units: in `cancelled` of those that were returned, which is what to refund;
   * likewise in `released` and `expired`, where nothing was sold
   */
  total?: number
  /** Exchange: the new total minus the old one */
  difference?: number
  currency?: AnswerCurrency
  /** When the hold, the block or the wait ends; in a cart, the earliest */
  expires_at?: AnswerInstant
  /** Position on the waiting list of a party that joins it; 1 is next */
  position?: number
  pools?: Array<AnswerPoolStatus>
  /** Of a probe about a booking or a cart, in place of pools: as they stand now */
  bookings?: Array<AnswerBookingStatus>
  /** If a probe did not fit: the pool, or room/night, to continue from */
  next?: string
  /** State of the sale */
  state?: "draft" | "open" | "closed"
  opens_at?: AnswerInstant
  closes_at?: AnswerInstant
  ends_at?: AnswerInstant
  /** Where the resource is, as Europe/Paris: for showing its times */
  timezone?: string
  /** Parties on the waiting list; one that joins now gets the next position */
  waiting?: number
  /** Name of the layout */
  chart?: string
  decided_at?: AnswerInstant
  /** Revision of the resource: the seq of the last decision that changed it */
  rev?: number
  /**
   * Units of the resource that nobody has after this decision, rooms per night: where it has quotas, the
   * most that all pools can sell together under them. Time alone does not change it: what is over (a
   * show past its `ends_at`, nights before today) is still counted, though it is refused; compare
   * `ends_at` and the nights with the clock
   */
  free?: number
}

export type AnswerHeld = Message<AnswerFields, 'booking' | 'customer' | 'decided_at' | 'epoch' | 'expires_at' | 'free' | 'op' | 'resource' | 'rev' | 'seq' | 'total' | 'units', 'bookings' | 'change' | 'chart' | 'difference' | 'ends_at' | 'next' | 'pools' | 'position' | 'reason' | 'retryable' | 'returned' | 'timezone' | 'waiting', 'outcome' | 'reason' | 'request_id'> & {
  request_id: string
  reason?: "id_reused" | "too_late" | "unknown_resource" | "already_exists" | "bad_chart" | "unknown_chart" | "in_use" | "not_on_sale" | "unknown_booking" | "not_owner" | "already_confirmed" | "already_released" | "already_cancelled" | "not_confirmed" | "not_held" | "not_waiting" | "not_blocked" | "hold_expired" | "not_in_booking" | "limit_exceeded" | "unknown_pool" | "unknown_seat" | "unknown_rate" | "unknown_feature" | "restricted" | "unit_taken" | "not_enough" | "not_together"
  outcome: "held"
}

export type AnswerConfirmed = Message<AnswerFields, 'customer' | 'decided_at' | 'epoch' | 'free' | 'op' | 'resource' | 'rev' | 'seq' | 'total' | 'units', 'bookings' | 'change' | 'chart' | 'difference' | 'ends_at' | 'expires_at' | 'next' | 'pools' | 'position' | 'reason' | 'retryable' | 'timezone' | 'waiting', 'outcome' | 'reason' | 'request_id'> & {
  request_id: string
  reason?: "id_reused" | "too_late" | "unknown_resource" | "already_exists" | "bad_chart" | "unknown_chart" | "in_use" | "not_on_sale" | "unknown_booking" | "not_owner" | "already_confirmed" | "already_released" | "already_cancelled" | "not_confirmed" | "not_held" | "not_waiting" | "not_blocked" | "hold_expired" | "not_in_booking" | "limit_exceeded" | "unknown_pool" | "unknown_seat" | "unknown_rate" | "unknown_feature" | "restricted" | "unit_taken" | "not_enough" | "not_together"
  outcome: "confirmed"
}

export type AnswerReleased = Message<AnswerFields, 'decided_at' | 'epoch' | 'free' | 'op' | 'resource' | 'rev' | 'seq', 'bookings' | 'change' | 'chart' | 'difference' | 'ends_at' | 'expires_at' | 'next' | 'overbooked' | 'pools' | 'position' | 'reason' | 'retryable' | 'timezone' | 'together' | 'units' | 'waiting', 'outcome' | 'reason' | 'request_id'> & {
  request_id: string
  reason?: "id_reused" | "too_late" | "unknown_resource" | "already_exists" | "bad_chart" | "unknown_chart" | "in_use" | "not_on_sale" | "unknown_booking" | "not_owner" | "already_confirmed" | "already_released" | "already_cancelled" | "not_confirmed" | "not_held" | "not_waiting" | "not_blocked" | "hold_expired" | "not_in_booking" | "limit_exceeded" | "unknown_pool" | "unknown_seat" | "unknown_rate" | "unknown_feature" | "restricted" | "unit_taken" | "not_enough" | "not_together"
  outcome: "released"
}

export type AnswerExtended = Message<AnswerFields, 'customer' | 'decided_at' | 'epoch' | 'expires_at' | 'free' | 'op' | 'resource' | 'rev' | 'seq' | 'total', 'bookings' | 'change' | 'chart' | 'difference' | 'ends_at' | 'next' | 'overbooked' | 'pools' | 'position' | 'reason' | 'retryable' | 'returned' | 'timezone' | 'together' | 'units' | 'waiting', 'outcome' | 'reason' | 'request_id'> & {
  request_id: string
  reason?: "id_reused" | "too_late" | "unknown_resource" | "already_exists" | "bad_chart" | "unknown_chart" | "in_use" | "not_on_sale" | "unknown_booking" | "not_owner" | "already_confirmed" | "already_released" | "already_cancelled" | "not_confirmed" | "not_held" | "not_waiting" | "not_blocked" | "hold_expired" | "not_in_booking" | "limit_exceeded" | "unknown_pool" | "unknown_seat" | "unknown_rate" | "unknown_feature" | "restricted" | "unit_taken" | "not_enough" | "not_together"
  outcome: "extended"
}

export type AnswerExchanged = Message<AnswerFields, 'booking' | 'decided_at' | 'difference' | 'epoch' | 'free' | 'resource' | 'rev' | 'seq' | 'total' | 'units', 'bookings' | 'change' | 'chart' | 'ends_at' | 'next' | 'pools' | 'position' | 'reason' | 'retryable' | 'timezone' | 'waiting', 'op' | 'outcome' | 'reason' | 'request_id'> & {
  request_id: string
  reason?: "id_reused" | "too_late" | "unknown_resource" | "already_exists" | "bad_chart" | "unknown_chart" | "in_use" | "not_on_sale" | "unknown_booking" | "not_owner" | "already_confirmed" | "already_released" | "already_cancelled" | "not_confirmed" | "not_held" | "not_waiting" | "not_blocked" | "hold_expired" | "not_in_booking" | "limit_exceeded" | "unknown_pool" | "unknown_seat" | "unknown_rate" | "unknown_feature" | "restricted" | "unit_taken" | "not_enough" | "not_together"
  op: "exchange"
  outcome: "exchanged"
}

export type AnswerCancelled = Message<AnswerFields, 'decided_at' | 'epoch' | 'free' | 'op' | 'resource' | 'returned' | 'rev' | 'seq', 'bookings' | 'change' | 'chart' | 'difference' | 'ends_at' | 'expires_at' | 'next' | 'overbooked' | 'pools' | 'position' | 'reason' | 'retryable' | 'timezone' | 'together' | 'units' | 'waiting', 'outcome' | 'reason' | 'request_id'> & {
  request_id: string
  reason?: "id_reused" | "too_late" | "unknown_resource" | "already_exists" | "bad_chart" | "unknown_chart" | "in_use" | "not_on_sale" | "unknown_booking" | "not_owner" | "already_confirmed" | "already_released" | "already_cancelled" | "not_confirmed" | "not_held" | "not_waiting" | "not_blocked" | "hold_expired" | "not_in_booking" | "limit_exceeded" | "unknown_pool" | "unknown_seat" | "unknown_rate" | "unknown_feature" | "restricted" | "unit_taken" | "not_enough" | "not_together"
  outcome: "cancelled"
}

export type AnswerTransferred = Message<AnswerFields, 'booking' | 'customer' | 'decided_at' | 'epoch' | 'free' | 'op' | 'resource' | 'rev' | 'seq' | 'total', 'bookings' | 'change' | 'chart' | 'difference' | 'ends_at' | 'next' | 'overbooked' | 'pools' | 'position' | 'reason' | 'retryable' | 'returned' | 'timezone' | 'together' | 'waiting', 'outcome' | 'reason' | 'request_id'> & {
  request_id: string
  reason?: "id_reused" | "too_late" | "unknown_resource" | "already_exists" | "bad_chart" | "unknown_chart" | "in_use" | "not_on_sale" | "unknown_booking" | "not_owner" | "already_confirmed" | "already_released" | "already_cancelled" | "not_confirmed" | "not_held" | "not_waiting" | "not_blocked" | "hold_expired" | "not_in_booking" | "limit_exceeded" | "unknown_pool" | "unknown_seat" | "unknown_rate" | "unknown_feature" | "restricted" | "unit_taken" | "not_enough" | "not_together"
  outcome: "transferred"
}

export type AnswerExpired = Message<AnswerFields, 'booking' | 'decided_at' | 'epoch' | 'free' | 'op' | 'resource' | 'returned' | 'rev' | 'seq' | 'unasked', 'bookings' | 'change' | 'chart' | 'difference' | 'ends_at' | 'expires_at' | 'next' | 'overbooked' | 'pools' | 'position' | 'reason' | 'retryable' | 'timezone' | 'together' | 'units' | 'waiting', 'outcome' | 'reason' | 'request_id'> & {
  request_id: string
  reason?: "id_reused" | "too_late" | "unknown_resource" | "already_exists" | "bad_chart" | "unknown_chart" | "in_use" | "not_on_sale" | "unknown_booking" | "not_owner" | "already_confirmed" | "already_released" | "already_cancelled" | "not_confirmed" | "not_held" | "not_waiting" | "not_blocked" | "hold_expired" | "not_in_booking" | "limit_exceeded" | "unknown_pool" | "unknown_seat" | "unknown_rate" | "unknown_feature" | "restricted" | "unit_taken" | "not_enough" | "not_together"
  outcome: "expired"
}

export type AnswerWaiting = Message<AnswerFields, 'booking' | 'customer' | 'decided_at' | 'epoch' | 'expires_at' | 'free' | 'resource' | 'rev' | 'seq', 'bookings' | 'change' | 'chart' | 'difference' | 'ends_at' | 'next' | 'overbooked' | 'pools' | 'reason' | 'retryable' | 'returned' | 'timezone' | 'together' | 'total' | 'units' | 'waiting', 'op' | 'outcome' | 'reason' | 'request_id'> & {
  request_id: string
  reason?: "id_reused" | "too_late" | "unknown_resource" | "already_exists" | "bad_chart" | "unknown_chart" | "in_use" | "not_on_sale" | "unknown_booking" | "not_owner" | "already_confirmed" | "already_released" | "already_cancelled" | "not_confirmed" | "not_held" | "not_waiting" | "not_blocked" | "hold_expired" | "not_in_booking" | "limit_exceeded" | "unknown_pool" | "unknown_seat" | "unknown_rate" | "unknown_feature" | "restricted" | "unit_taken" | "not_enough" | "not_together"
  op: "hold"
  outcome: "waiting"
}

export type AnswerLeft = Message<AnswerFields, 'booking' | 'customer' | 'decided_at' | 'epoch' | 'free' | 'op' | 'resource' | 'rev' | 'seq', 'bookings' | 'change' | 'chart' | 'difference' | 'ends_at' | 'expires_at' | 'next' | 'overbooked' | 'pools' | 'position' | 'reason' | 'retryable' | 'returned' | 'timezone' | 'together' | 'total' | 'units' | 'waiting', 'outcome' | 'reason' | 'request_id'> & {
  request_id: string
  reason?: "id_reused" | "too_late" | "unknown_resource" | "already_exists" | "bad_chart" | "unknown_chart" | "in_use" | "not_on_sale" | "unknown_booking" | "not_owner" | "already_confirmed" | "already_released" | "already_cancelled" | "not_confirmed" | "not_held" | "not_waiting" | "not_blocked" | "hold_expired" | "not_in_booking" | "limit_exceeded" | "unknown_pool" | "unknown_seat" | "unknown_rate" | "unknown_feature" | "restricted" | "unit_taken" | "not_enough" | "not_together"
  outcome: "left"
}

export type AnswerBlocked = Message<AnswerFields, 'booking' | 'decided_at' | 'epoch' | 'free' | 'resource' | 'rev' | 'seq' | 'total' | 'units', 'bookings' | 'change' | 'chart' | 'difference' | 'ends_at' | 'next' | 'pools' | 'position' | 'reason' | 'retryable' | 'returned' | 'timezone' | 'waiting', 'op' | 'outcome' | 'reason' | 'request_id'> & {
  request_id: string
  reason?: "id_reused" | "too_late" | "unknown_resource" | "already_exists" | "bad_chart" | "unknown_chart" | "in_use" | "not_on_sale" | "unknown_booking" | "not_owner" | "already_confirmed" | "already_released" | "already_cancelled" | "not_confirmed" | "not_held" | "not_waiting" | "not_blocked" | "hold_expired" | "not_in_booking" | "limit_exceeded" | "unknown_pool" | "unknown_seat" | "unknown_rate" | "unknown_feature" | "restricted" | "unit_taken" | "not_enough" | "not_together"
  op: "block"
  outcome: "blocked"
}

export type AnswerDefined = Message<AnswerFields, 'decided_at' | 'epoch' | 'free' | 'resource' | 'rev' | 'seq', 'bookings' | 'difference' | 'ends_at' | 'expires_at' | 'next' | 'overbooked' | 'pools' | 'position' | 'reason' | 'retryable' | 'returned' | 'timezone' | 'together' | 'units' | 'waiting', 'op' | 'outcome' | 'reason' | 'request_id'> & {
  request_id: string
  reason?: "id_reused" | "too_late" | "unknown_resource" | "already_exists" | "bad_chart" | "unknown_chart" | "in_use" | "not_on_sale" | "unknown_booking" | "not_owner" | "already_confirmed" | "already_released" | "already_cancelled" | "not_confirmed" | "not_held" | "not_waiting" | "not_blocked" | "hold_expired" | "not_in_booking" | "limit_exceeded" | "unknown_pool" | "unknown_seat" | "unknown_rate" | "unknown_feature" | "restricted" | "unit_taken" | "not_enough" | "not_together"
  op: "define" | "open" | "close"
  outcome: "defined"
}

export type AnswerAlive = Message<AnswerFields, 'decided_at' | 'epoch' | 'free' | 'op' | 'resource' | 'rev' | 'seq' | 'state' | 'waiting', 'change' | 'chart' | 'difference' | 'expires_at' | 'overbooked' | 'position' | 'reason' | 'retryable' | 'returned' | 'together' | 'units', 'outcome' | 'reason' | 'request_id'> & {
  request_id: string
  reason?: "id_reused" | "too_late" | "unknown_resource" | "already_exists" | "bad_chart" | "unknown_chart" | "in_use" | "not_on_sale" | "unknown_booking" | "not_owner" | "already_confirmed" | "already_released" | "already_cancelled" | "not_confirmed" | "not_held" | "not_waiting" | "not_blocked" | "hold_expired" | "not_in_booking" | "limit_exceeded" | "unknown_pool" | "unknown_seat" | "unknown_rate" | "unknown_feature" | "restricted" | "unit_taken" | "not_enough" | "not_together"
  outcome: "alive"
}

export type AnswerRefused = Message<AnswerFields, 'decided_at' | 'epoch' | 'op' | 'resource' | 'retryable' | 'seq', 'bookings' | 'change' | 'chart' | 'difference' | 'ends_at' | 'expires_at' | 'next' | 'overbooked' | 'pools' | 'position' | 'returned' | 'timezone' | 'together' | 'units' | 'waiting', 'outcome' | 'reason' | 'request_id'> & {
  request_id: string
  reason: "id_reused" | "too_late" | "unknown_resource" | "already_exists" | "bad_chart" | "unknown_chart" | "in_use" | "not_on_sale" | "unknown_booking" | "not_owner" | "already_confirmed" | "already_released" | "already_cancelled" | "not_confirmed" | "not_held" | "not_waiting" | "not_blocked" | "hold_expired" | "not_in_booking" | "limit_exceeded" | "unknown_pool" | "unknown_seat" | "unknown_rate" | "unknown_feature" | "restricted" | "unit_taken" | "not_enough" | "not_together"
  outcome: "refused"
}

export type AnswerInvalid = Message<AnswerFields, 'decided_at' | 'epoch' | 'request_id' | 'retryable' | 'seq', 'bookings' | 'change' | 'chart' | 'currency' | 'difference' | 'ends_at' | 'expires_at' | 'items' | 'next' | 'overbooked' | 'pools' | 'position' | 'replayed' | 'returned' | 'timezone' | 'together' | 'total' | 'units' | 'waiting', 'cause' | 'outcome' | 'reason'> & {
  reason: "malformed" | "wrong_partition" | "internal"
  cause?: "lost"
  outcome: "invalid"
}

/**
 * The value of a record in booking.results.v1. This schema is exact about what a worker of this
 * version sends, so that tests catch mistakes. Clients should be lenient: fields, outcomes and reasons
 * may be added, never changed. Absent fields are left out.
 */
export type Answer =
  | AnswerHeld
  | AnswerConfirmed
  | AnswerReleased
  | AnswerExtended
  | AnswerExchanged
  | AnswerCancelled
  | AnswerTransferred
  | AnswerExpired
  | AnswerWaiting
  | AnswerLeft
  | AnswerBlocked
  | AnswerDefined
  | AnswerAlive
  | AnswerRefused
  | AnswerInvalid

/** 1 to 64 bytes of A-Z a-z 0-9 _ . : - */
export type AnswerId = string

/**
 * 1 to 64 bytes of UTF-8 without control characters, quotes, backslashes, marks of direction, or
 * characters of no width but U+200C and U+200D
 */
export type AnswerName = string

/** Name of a section, room type or product: a name without slashes */
export type AnswerPool = string

/** A local date, never converted */
export type AnswerNight = string

/** Per unit, in minor units of the currency */
export type AnswerPrice = number

/** ISO 4217 */
export type AnswerCurrency = string

/** RFC 3339 in UTC with milliseconds */
export type AnswerInstant = string

export type AnswerUnits = Array<{
  /** Index in the booking's items, from 0 */
  item: number
  section?: AnswerPool
  room?: AnswerPool
  product?: AnswerPool
  seats?: Array<AnswerName>
  /**
   * Where each of `seats` is, for people: zone, row and number. Only where the hall has numbers for
   * people, and the answer is not too large with them
   */
  places?: Array<string>
  night?: AnswerNight
  /** Numbers of interchangeable rooms, not door numbers */
  tokens?: Array<number>
  quantity?: number
  price: AnswerPrice
  /** Name of the price, if the pool has named rates */
  rate?: AnswerName
  /**
   * In answers about a cart, of what an exchange returns of its hold, and of what a transfer with
   * `items` takes out of its booking
   */
  booking?: AnswerId
  /**
   * If the request has several items, and the allocator chose the seats of this one: whether they are
   * side by side, in all groups of the item together
   */
  together?: boolean
  /**
   * If the item has members, and usher chose these units: the member who has them, as an index in
   * `members`, from 0
   */
  member?: number
}>

export type AnswerShortfall = {
  /** Index in the booking's items, from 0 */
  item: number
  asked: number
  given: number
  reason?: "id_reused" | "too_late" | "unknown_resource" | "already_exists" | "bad_chart" | "unknown_chart" | "in_use" | "not_on_sale" | "unknown_booking" | "not_owner" | "already_confirmed" | "already_released" | "already_cancelled" | "not_confirmed" | "not_held" | "not_waiting" | "not_blocked" | "hold_expired" | "not_in_booking" | "limit_exceeded" | "unknown_pool" | "unknown_seat" | "unknown_rate" | "unknown_feature" | "restricted" | "unit_taken" | "not_enough" | "not_together"
  /**
   * Units that this item could have had of the pool, as its quotas and the items before it leave them;
   * for a room, on the night with the fewest
   */
  free?: number
  /** Seats or nights that are not available, or are over */
  taken?: Array<AnswerName>
  /** Of `unit_taken`: where each of `taken` is, for people, as in `units` */
  places?: Array<string>
  /**
   * Of unknown_pool, unknown_rate and unknown_feature: the name; of a room type that is not sold on some
   * of the nights, these are in `taken` instead
   */
  unknown?: AnswerName
  /** Beside `unknown`: such names as there are, the first 20 */
  known?: Array<AnswerName>
  /** Of `restricted`: the first rule that forbids the stay */
  restricted?: AnswerRestricted
  /** Of `not_enough`: the rate at which `free` units are left, if the rate has fewer than the pool */
  rate?: AnswerName
}

/** A rule that forbids a stay, and what this rule alone would allow */
export type AnswerRestricted = {
  rule: "stop_sell" | "closed_to_arrival" | "closed_to_departure" | "min_stay_arrival" | "max_stay" | "min_stay_through"
  /** The date of the rule: the arrival, the departure, or a night of the stay */
  date: AnswerNight
  /** Of a rule about nights: the minimum, or of `max_stay` the maximum */
  nights?: number
  /** Of a rule that closes dates: the next of the defined nights that this rule does not close */
  next?: AnswerNight
}

export type AnswerBookingStatus = {
  booking: AnswerId
  state: "held" | "confirmed" | "blocked" | "waiting" | "released" | "expired" | "cancelled" | "left"
  customer?: AnswerName
  cart?: AnswerName
  payment?: string
  /** Units that it has, or had until it ended; rooms per night */
  units: number
  /** In minor units of the currency */
  total: number
  /** When the hold, the wait or the block ends */
  expires_at?: AnswerInstant
  /**
   * Position on the waiting list; 1 is next. Left out where more than 10,000 parties would have to be
   * counted
   */
  position?: number
}

/**
 * State of a pool. free: units that nobody has, i.e. total - held - sold - blocked, or fewer if a
 * quota leaves fewer; what is over (a show past its `ends_at`, nights before today) is still counted;
 * total: all units, including overbook; over: units taken beyond the total, by `overbook` of the house
 */
export type AnswerPoolStatus = Record<string, unknown>

export type AnswerSource = {
  partition: number
  offset: number
}

/** How many of the total exceed the capacity */
export type AnswerOverbook = number

/** Prices by rate name */
export type AnswerRates = Record<string, AnswerPrice>

/** One value per night, null if there is none */
export type AnswerNightly = Array<number | null>

/**
 * A change of a resource, as published on usher:{R}:changes in Redis. Subscribe, read the hash, seats,
 * pools and catalogue in one MULTI, then: ignore a lower (epoch, rev) unless `from` is 0; read again
 * at `reload`, at a new epoch or at another `catalogue_rev`; apply `from` at or below your own rev;
 * else read again. A missing key means unknown, never sold out.
 */
export type Changes = {
  epoch: number
  rev: number
  /** Applies to any state from this rev on; 0: a snapshot */
  from: number
  /** As of which rev `usher:{R}:catalogue`, and the layout that the hash names, were written */
  catalogue_rev: number
  state: "draft" | "open" | "closed"
  /**
   * Units that nobody has: where there are quotas, the most that all pools can sell together under them.
   * What is over (a show past its `ends_at`, nights before today) is still counted
   */
  free: number
  held: number
  sold: number
  blocked: number
  /** Parties on the waiting list */
  waiting: number
  /** [index, characters]: seats from index on, . free h held s sold x blocked */
  seats?: Array<Array<number | string>>
  /**
   * By section, product or room/night: free/total/held/sold/blocked; free is what can be sold: a quota
   * may leave fewer than nobody has
   */
  pools?: Record<string, string>
  /** True: too large for a message; read everything again */
  reload?: true
}

/**
 * A change of any resource, as published on usher:changes in Redis: what changes.schema.json says of a
 * resource, with its id and without seats and pools: for those who show all of them. Ignore a lower
 * (epoch, rev) of the resource unless `from` is 0. With `reload` its hash has changed in other fields,
 * too.
 */
export type Overview = {
  resource: string
  epoch: number
  rev: number
  from: number
  catalogue_rev: number
  state: "draft" | "open" | "closed"
  free: number
  held: number
  sold: number
  blocked: number
  waiting: number
  reload?: true
}
