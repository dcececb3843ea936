import { expect, it } from 'vitest';
import type { Advance, HistoryEvent, Json } from '../../../../packages/workflows/src/protocol.ts';
import { type Payloads, PayloadTooLarge } from '../../payloads/port.ts';
import { createPayloads } from './run-payloads.ts';

const isLarge = (value: Json): boolean => typeof value === 'string' && value.startsWith('large');

/** Large values are kept elsewhere, which takes time; larger ones are refused. */
const port: Payloads = {
  pack: (_, value) => (isLarge(value) ? keep(value) : value),
  unpack: async (_, packed) => ((packed as { kept?: Json }).kept as Json) ?? packed,
};

async function keep(value: Json): Promise<Json> {
  if (value === 'larger') throw new PayloadTooLarge(2, 1);
  return { kept: value };
}

const payloads = createPayloads(port);
const small = createPayloads({ pack: (_, value) => value, unpack: (_, packed) => packed });

function advanceWith(results: Json[], inputs: Json[]): Advance {
  return {
    step_results: results.map((result, at) => ({ token: String(at), result })),
    commands: [{ type: 'schedule_step', seq: 1, name: 'add', input: inputs }],
  } as unknown as Advance;
}

it('passes small payloads on without waiting and without a copy', () => {
  const advance = advanceWith([1], [{ a: 1 }]);
  const packed = small.packAdvance('w', advance) as Advance;
  expect(packed.commands[0]).toBe(advance.commands[0]);
  expect(packed.step_results).toBe(advance.step_results);
  const events = [{ id: 1, type: 'ACTIVITY_TASK_SCHEDULED', time_ms: 0, attributes: { input: [1] } }] as HistoryEvent[];
  expect(small.unpackEvents('w', events)).toBe(events);
});

it('packs large payloads among small ones, each in its place', async () => {
  const packed = await payloads.packAdvance('w', advanceWith([1, 'large', 3], ['a', 'large b', 'c', 'large d']));
  expect(packed.step_results.map((result) => 'result' in result && result.result)).toEqual([1, { kept: 'large' }, 3]);
  expect(packed.commands[0]).toMatchObject({ input: ['a', { kept: 'large b' }, 'c', { kept: 'large d' }] });
});

it('unpacks all payloads of an event', async () => {
  const attributes = { input: [{ kept: 'a' }, 'b'], result: { kept: 'c' }, details: 'd', other: { kept: 'e' } };
  const [event] = await payloads.unpackEvents('w', [
    { id: 1, type: 'ACTIVITY_TASK_SCHEDULED', time_ms: 0, attributes },
  ] as HistoryEvent[]);
  expect(event?.attributes).toEqual({ input: ['a', 'b'], result: 'c', details: 'd', other: { kept: 'e' } });
});

it('makes a failure of a result that is too large, and fails the run of a turn with one', async () => {
  expect(await payloads.packResult('w', { token: 't', result: 'larger' })).toMatchObject({
    token: 't',
    failure: { type: 'PayloadTooLarge', non_retryable: true },
  });
  const { commands } = await payloads.packAdvance('w', advanceWith(['larger'], ['a']));
  expect(commands).toMatchObject([{ type: 'fail', failure: { type: 'PayloadTooLarge' } }]);
});
