import type { Benchmark } from '../../bench/benchmark.ts';
import { endure, growthFigure } from '../../bench/endure.ts';

const REQUESTS = { quick: 2500, full: 1_000_000 };
const LASTS_MS = 30 * 60 * 1000;
/** A pool may open one more connection, or SQLite a file, at any time. */
const DESCRIPTORS_MORE_MAX = 8;

export const soak: Benchmark = {
  name: 'soak',
  summary: 'a million requests to all rooms in half an hour, half of them failing: memory and descriptors',
  async run({ quick, progress }) {
    const total = quick ? REQUESTS.quick : REQUESTS.full;
    const endured = await endure({
      mix: 'platform',
      total,
      ...(quick ? { slices: 2 } : { lastsMs: LASTS_MS }),
      prepare: makePrompt,
      progress,
    });
    const { first, most } = endured.descriptors;
    return [
      growthFigure(endured, quick),
      {
        name: 'descriptors more than after warm-up, at most',
        value: most - first,
        unit: '',
        target: { at: '≤', value: DESCRIPTORS_MORE_MAX },
        note: `${first} after warm-up`,
      },
    ];
  },
};

async function makePrompt({ url, key }: { url: string; key: string }): Promise<void> {
  const response = await fetch(`${url}/v2/prompts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'greeting', definition: { content: 'Hello' }, aliases: ['live'] }),
  });
  if (!response.ok) throw new Error(`The prompt could not be made: ${await response.text()}`);
}
