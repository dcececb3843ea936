import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '../support/ask.ts';
import { type AttackOrder, type AttackReport, inParallel, join, post, sendAll, tally } from './send.ts';

const WATCHED_MS = { quick: 1000, full: 6000 };

/**
 * Rows as large as requests may make them, which background work reads later: schedules that are due each second,
 * lines of batches, deleted content. The attack lasts while that work runs.
 */
export async function feedBackground(order: AttackOrder, workflow: string): Promise<AttackReport> {
  const { url, key, isQuick } = order;
  const text = 'x'.repeat(isQuick ? 20_000 : 900_000);
  const schedules = await sendAll(
    order,
    Array.from({ length: isQuick ? 2 : 10 }, () => ({
      path: '/v1/workflows/schedules',
      body: { workflow_identifier: workflow, schedule: { input: { text }, intervals: [{ every: 'PT1S' }] } },
    })),
  );
  const lines = (count: number, length: number) =>
    Array.from({ length: count }, () => ({ body: { messages: [{ role: 'user', content: 'x'.repeat(length) }] } }));
  const batches = await sendAll(
    order,
    [lines(10, isQuick ? 20_000 : 2_000_000), lines(isQuick ? 100 : 10_000, 10)].map((requests) => ({
      path: '/v1/batch/jobs',
      body: { endpoint: '/v1/chat/completions', model: 'small', requests },
    })),
  );
  const agents = await inParallel(
    Array.from({ length: isQuick ? 2 : 40 }, () => async () => {
      const made = await post(url, key, '/v1/agents', {
        model: 'small',
        name: 'a',
        instructions: text.slice(0, 250_000),
      });
      const { id } = JSON.parse(made.text) as { id: string };
      const headers = { authorization: `Bearer ${key}` };
      const answered = await ask(`${url}/v1/agents/${id}`, { method: 'DELETE', headers });
      return { name: 'DELETE /v1/agents/:agent_id', answered };
    }),
  );
  await delay(isQuick ? WATCHED_MS.quick : WATCHED_MS.full);
  return join([schedules, batches, tally(agents)]);
}
