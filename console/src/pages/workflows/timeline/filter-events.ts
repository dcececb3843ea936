import { describeEvent, type EventTopic } from './describe-event.ts';
import type { TimelineEvent } from './read-messages.ts';

export type EventFilter = { topic: EventTopic | 'all' | 'trouble'; text: string };

export type FilteredEvents = { filter: EventFilter; lookedAt: number; places: number[] };

export const noFilter: EventFilter = { topic: 'all', text: '' };

/** Indexes of the matching events. Continues from an earlier result of the same filter, so each event is read once. */
export function filterEvents(
  events: readonly TimelineEvent[],
  filter: EventFilter,
  earlier?: FilteredEvents,
): FilteredEvents {
  const isSame = earlier && earlier.filter.topic === filter.topic && earlier.filter.text === filter.text;
  if (isSame && earlier.lookedAt === events.length) return earlier;
  const places = isSame ? earlier.places.slice() : [];
  const needle = filter.text.trim().toLowerCase();
  for (let at = isSame ? earlier.lookedAt : 0; at < events.length; at++)
    if (passes(events[at] as TimelineEvent, filter.topic, needle)) places.push(at);
  return { filter, lookedAt: events.length, places };
}

function passes(event: TimelineEvent, topic: EventFilter['topic'], needle: string): boolean {
  const described = describeEvent(event);
  if (
    topic === 'trouble' ? !['danger', 'warning'].includes(described.tone) : topic !== 'all' && described.topic !== topic
  )
    return false;
  if (needle === '') return true;
  const words = `${described.title} ${described.subject} ${described.note} ${event.event_type} ${event.workflow_exec_id}`;
  return words.toLowerCase().includes(needle);
}
