export const HISTORY_BYTES_MAX = 50 * 1024 * 1024;
/** Signals and updates that may wait for one turn to end. */
export const BUFFERED_EVENTS_MAX = 10_000;

/** A worker that does not renew a lease for this long loses it; workers renew much earlier. */
export const LEASE_MS = 3500;
/** Mail that a worker does not collect in this time goes to other workers. */
export const MAILBOX_MS = 300;
/** A worker that left mail uncollected polls another process; it gets no mail here for this long. */
export const UNCOLLECTED_MS = 60_000;
/** How long it is known that a worker disconnected: longer than most timeouts of its steps. */
export const GONE_MS = 600_000;
/** How often a waiting poll reads the tables. */
export const LOOK_AGAIN_MS = 2000;
/** Workers, or servers, that may be lost with the same work in hand; then it is set aside. */
export const DEATHS_MAX = 3;
/** A run that has gone on for so long since a worker was lost did not take it down. */
export const CLEARED_MS = 60_000;
/** How often work waits that is tried alone, while other such work is in hand. */
export const SUSPECT_AGAIN_MS = 250;
/** What a server that died had in hand is left alone for so long: another server may be at it. */
export const RESUME_AGAIN_MS = 10_000;
/** Limits of the history in one response to a worker; it reads the rest in pages. */
export const HISTORY_PAGE_EVENTS = 2000;
export const HISTORY_PAGE_BYTES = 4 * 1024 * 1024;
export const QUERIES_WAITING_MAX = 1000;
/** An unanswered query goes to another worker after this time: the first may have died. */
export const QUERY_AGAIN_MS = 1000;
