import { setTimeout as delay } from 'node:timers/promises';
import { percentile } from '../../bench/statistics.ts';
import { ask } from '../support/ask.ts';

const READERS = 4;
const PAUSE_MS = 40;

export type Others = { p99Ms: number; requests: number; failures: string[] };

/** A tenant that chats and reads. Call the result to end it: it returns how long the requests took. */
export function watchOthers({ url, key, model }: { url: string; key: string; model: string }): () => Promise<Others> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const chat = Buffer.from(JSON.stringify({ model, max_tokens: 8, messages: [{ role: 'user', content: 'Hello' }] }));
  const requests = [
    () => ask(`${url}/v1/chat/completions`, { method: 'POST', headers, body: chat }),
    () => ask(`${url}/v1/agents?page_size=10`, { headers }),
  ];
  const times: number[] = [];
  const failures: string[] = [];
  let isOver = false;

  async function reader(index: number): Promise<void> {
    for (let turn = index; !isOver; turn++) {
      const began = performance.now();
      const answered = await requests[turn % requests.length]?.();
      times.push(performance.now() - began);
      if (answered?.status !== 200) failures.push(`${answered?.status} ${answered?.text.slice(0, 200)}`);
      await delay(PAUSE_MS);
    }
  }

  const readers = Array.from({ length: READERS }, (_, index) => reader(index));
  return async () => {
    isOver = true;
    await Promise.all(readers);
    return { p99Ms: percentile(times, 0.99), requests: times.length, failures };
  };
}
