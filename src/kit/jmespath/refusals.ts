/** Not an expression; the message says where. */
export class InvalidQuery extends Error {}

/** An expression that does not fit the value: a function got another type than it takes. */
export class QueryFailed extends Error {}

/** The budget is spent. */
export class QueryTooExpensive extends Error {}
