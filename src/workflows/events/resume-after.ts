import { workflowErrors } from '../errors.ts';

/** The sequence number after which a stream resumes. */
export function resumeAfter(lastEventId: string): number {
  const after = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : undefined;
  if (after === undefined)
    throw workflowErrors.last_event_id_not_valid(
      ['header', 'last-event-id'],
      'This must be the id of an event of this stream.',
      lastEventId,
    );
  return after;
}
