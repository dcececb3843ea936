export const HISTORY_BYTES_MAX = 50 * 1024 * 1024;
/** Signals and updates that may wait for one turn to end. */
export const BUFFERED_EVENTS_MAX = 10_000;

/** A worker that does not renew a lease for this long loses it; workers renew much earlier. */
export const LEASE_MS = 3500;
/** Mail that a worker does not collect in this time goes to other workers. */
export const MAILBOX_MS = 300;
/** A worker that left mail uncollected polls another process; it gets no mail here for this long. */
export const UNCOLLECTED_MS = 60_000;
/** How often a waiting poll reads the tables. */
export const LOOK_AGAIN_MS = 2000;
/** Workers lost during one attempt before the step counts as failed. */
export const LOST_LEASES_MAX = 10;
/** Limits of the history in one response to a worker; it reads the rest in pages. */
export const HISTORY_PAGE_EVENTS = 2000;
export const HISTORY_PAGE_BYTES = 4 * 1024 * 1024;
export const QUERIES_WAITING_MAX = 1000;
/** An unanswered query goes to another worker after this time: the first may have died. */
export const QUERY_AGAIN_MS = 1000;
