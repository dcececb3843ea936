export type { Announce, Announcement } from './announce.ts';
export { createEvents, type Events, type EventsOptions, type TailOptions } from './events.ts';
export { resumePoint, toSse } from './sse.ts';
export type { NewEvent, StoredEvent } from './store.ts';
