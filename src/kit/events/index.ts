export type { Announce, Announcement } from './announce.ts';
export type { NewEvent } from './encode-events.ts';
export { createEvents, type Events, type EventsOptions, type TailOptions } from './events.ts';
export { makeForm } from './forms.ts';
export { resumePoint, toSse } from './sse.ts';
export type { StoredEvent } from './store/streams.ts';
