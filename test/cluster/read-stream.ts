import { setTimeout as sleep } from 'node:timers/promises';
import { type Event, readEvents } from '../../src/conversations/conversations-for-tests.ts';
import type { Address } from './start-cluster.ts';

/** Reads a stream to its last event; after a disconnect it resumes on another server after the last id. */
export async function readStream(
  at: Address,
  path: string,
  last: string,
  count: { events: number; connections: number },
): Promise<number[]> {
  const ids: number[] = [];
  let isDone = false;
  // Stored event by event: events of a broken connection count too.
  const take = (events: Event[]) => {
    for (const { id, event, data } of events.slice(taken)) {
      ids.push(id);
      count.events++;
      isDone ||= event.includes(last) || JSON.stringify(data).includes(last);
    }
    taken = events.length;
    return isDone;
  };
  let taken = 0;
  while (!isDone) {
    taken = 0;
    count.connections++;
    try {
      const after = ids.at(-1);
      const headers = {
        authorization: `Bearer ${at.key}`,
        ...(after === undefined ? {} : { 'last-event-id': `${after}` }),
      };
      const response = await fetch(at.url + path, { headers });
      if (response.ok) await readEvents(response, take);
    } catch {
      // The server was killed; another one serves the rest.
    }
    if (!isDone) await sleep(20);
  }
  return ids;
}
