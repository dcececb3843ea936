import { invalid } from '../errors.ts';

/** The number that a client who was cut off saw last. */
export function resumeAfter(lastEventId: string): number {
  const after = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : undefined;
  if (after === undefined)
    throw invalid(['header', 'last-event-id'], 'this must be the id of an event of this stream', lastEventId);
  return after;
}
