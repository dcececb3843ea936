import { expect, it } from 'vitest';
import type { JobRow } from '../store.ts';
import { executeLine, type LineContext } from './execute-line.ts';
import { createPace } from './pace.ts';

const caller = { organization_id: 'o', key_id: 'k', permissions: [] };
const job = {
  id: 'job-00000000',
  endpoint: '/v1/chat/completions',
  model: 'm',
  agent_id: null,
  caller,
} as never as JobRow;
const line = { bytes: Buffer.from('{"body":{"messages":[]}}') };
const pace = createPace({ concurrency: 1, lastArrivalMs: () => Number.NEGATIVE_INFINITY });
const contextOf = (changes: Partial<LineContext>) =>
  ({
    job,
    scope: async () => ({}),
    position: 0,
    pace,
    requestMs: 60_000,
    onStep: () => undefined,
    onFailure: () => undefined,
    wait: async () => undefined,
    signal: new AbortController().signal,
    ...changes,
  }) as LineContext;

it('a request that hangs ends at its time limit, once, and its error says so', async () => {
  let calls = 0;
  const row = await executeLine(
    line,
    contextOf({
      requestMs: 30,
      callEndpoint: (_, { signal }) => {
        calls++;
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    }),
  );
  expect(JSON.parse(row.line)).toMatchObject({
    response: { status_code: 504 },
    error: { message: 'The request took longer than 0.03 seconds and was ended.' },
  });
  expect(calls).toBe(1);
});

it('a request that is sent again later holds no place meanwhile', async () => {
  let calls = 0;
  const steps: string[] = [];
  const row = await executeLine(
    line,
    contextOf({
      onStep: ({ kind }) => void steps.push(kind),
      callEndpoint: async () =>
        ++calls === 1 ? { status: 503, body: {}, retryAfterSeconds: 60 } : { status: 200, body: {} },
      async wait() {
        // The only place is free for another.
        const leave = await pace.enter({ organization: 'other', key: 'k' }, 'm', new AbortController().signal);
        leave();
      },
    }),
  );
  expect(row.is_success).toBe(true);
  expect(steps).toEqual(['turn', 'model', 'retry', 'turn', 'model']);
});
