import { beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { countStatements } from '../../../test/support/statements.ts';
import { systemClock } from '../base/clock.ts';
import type { Database } from '../db/index.ts';
import { createEvents } from './events.ts';
import { createReadTogether } from './read-together.ts';

const STREAMS = Array.from({ length: 40 }, (_, n) => `stream-${n}`);
const EVENTS = 5;
const LIMIT = 3;

onEachDatabase('pages of many streams', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
    const events = createEvents({ database, now: systemClock });
    await database.transaction(async (tx) => {
      for (const stream of STREAMS)
        await events.append(
          tx,
          stream,
          Array.from({ length: EVENTS }, (_, n) => ({ type: 'said', data: { stream, n } })),
        );
    });
    return () => database.close();
  });

  it('are each what the stream has after its own place, in few statements', async () => {
    const read = createReadTogether(database, LIMIT);
    const statements = countStatements();
    const pages = await Promise.all(STREAMS.map((stream, n) => read(stream, n % EVENTS)));
    const { texts } = statements.stop();
    for (const [n, page] of pages.entries()) {
      const after = n % EVENTS;
      const seqs = Array.from({ length: Math.min(LIMIT, EVENTS - after) }, (_, i) => after + 1 + i);
      expect(page.map(({ seq }) => seq)).toEqual(seqs);
      expect(page.map(({ data }) => data)).toEqual(seqs.map((seq) => ({ stream: STREAMS[n], n: seq - 1 })));
    }
    const reads = texts.filter((text) => /from "?(json_array_elements|\(select .* from "whole_events)/.test(text));
    expect(reads.length).toBe(test.kind === 'postgres' ? 2 : STREAMS.length);
  });

  it('are empty where there is nothing, beside one that has something', async () => {
    const read = createReadTogether(database, LIMIT);
    const [nothing, something] = await Promise.all([read('no-such-stream', 0), read('stream-0', 4)]);
    expect(nothing).toEqual([]);
    expect(something.map(({ seq }) => seq)).toEqual([5]);
  });
});
