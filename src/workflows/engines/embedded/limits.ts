/** What one execution may take; docs/workflows-api.md tells users. */
export const HISTORY_BYTES_MAX = 50 * 1024 * 1024;
/** Signals, updates and the like that may wait for one turn to end. */
export const BUFFERED_EVENTS_MAX = 10_000;

/** A worker that was not heard of for so long has lost its runs and steps; it renews them well before. */
export const LEASE_MS = 3500;
/** What was put aside for a worker that does not come for it is offered to others. */
export const MAILBOX_MS = 300;
/** A worker that did not come for what was put aside for it polls elsewhere: for so long nothing is put aside any more. */
export const STRAY_MS = 60_000;
/** A worker that polls and gets nothing looks into the tables this often. */
export const LOOK_AGAIN_MS = 2000;
/** Workers lost with one attempt of a step before the step is held to be what kills them. */
export const LOST_LEASES_MAX = 10;
/** One answer to a worker carries no more history than this; the rest is read in pages. */
export const HISTORY_PAGE_EVENTS = 2000;
export const HISTORY_PAGE_BYTES = 4 * 1024 * 1024;
export const QUERIES_WAITING_MAX = 1000;
/** A query without an answer is put to another worker: the first may have died with it. */
export const QUERY_AGAIN_MS = 1000;
