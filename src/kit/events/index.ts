export type { Announce, Announcement } from './announce.ts';
export { type NewEvent, shareMembers } from './encode-events.ts';
export { createEvents, type Events, type EventsOptions, type TailOptions } from './events.ts';
export { resumePoint, toSse } from './sse.ts';
export type { StoredEvent } from './store/streams.ts';
