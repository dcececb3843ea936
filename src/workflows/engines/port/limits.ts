/** docs/workflows-api.md documents the limits of an execution. */
export const HISTORY_EVENTS_MAX = 51_200;
export const QUERY_TIMEOUT_MS = 10_000;
