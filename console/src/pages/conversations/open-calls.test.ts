import { expect, it } from 'vitest';
import { answerAll, openCalls } from './open-calls.ts';
import type { Item } from './timeline-items.ts';

const call = (callId: string, state: Extract<Item, { kind: 'call' }>['state']): Item => ({
  kind: 'call',
  id: callId,
  at: undefined,
  callId,
  name: 'book',
  input: { text: '{}', language: 'json' },
  state,
  result: undefined,
});

it('resolves all pending calls in one request, once each has a reply', () => {
  const calls = openCalls([
    call('a', 'to-confirm'),
    call('b', 'answered'),
    call('c', 'to-answer'),
    call('d', 'to-confirm'),
  ]);
  expect(calls.map(({ callId }) => callId)).toEqual(['a', 'c', 'd']);
  expect(answerAll(calls, { a: { kind: 'allow' }, c: { kind: 'result', text: 'done' } })).toBeUndefined();
  expect(answerAll(calls, { a: { kind: 'allow' }, c: { kind: 'result', text: 'done' }, d: { kind: 'deny' } })).toEqual({
    inputs: [{ type: 'function.result', tool_call_id: 'c', result: 'done' }],
    tool_confirmations: [
      { tool_call_id: 'a', confirmation: 'allow' },
      { tool_call_id: 'd', confirmation: 'deny' },
    ],
  });
});
