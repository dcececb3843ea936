import { expect, it } from 'vitest';
import { createClientRequests } from './client-requests.ts';

const ASKED = { jsonrpc: '2.0', id: 0, method: 'elicitation/create' } as const;

it('a response reaches the tool call that sent the request, under its original id', () => {
  const requests = createClientRequests();
  const taken: unknown[] = [];
  const first = requests.register(ASKED, 'ada', (answer) => taken.push(['first', answer]));
  const second = requests.register(ASKED, 'ada', (answer) => taken.push(['second', answer]));
  expect(first.id).not.toBe(second.id);
  expect(requests.resolve('ada', { jsonrpc: '2.0', id: second.id, result: { action: 'accept' } })).toBe(true);
  expect(taken).toEqual([['second', { jsonrpc: '2.0', id: 0, result: { action: 'accept' } }]]);
});

it('a response from another caller, a second one, or one without an id is refused', () => {
  const requests = createClientRequests();
  const { id } = requests.register(ASKED, 'ada', () => undefined);
  const answer = { jsonrpc: '2.0', id, result: {} } as const;
  expect(requests.resolve('mallory', answer)).toBe(false);
  expect(requests.resolve('ada', { jsonrpc: '2.0', error: { code: -32600, message: 'What?' } })).toBe(false);
  expect(requests.resolve('ada', answer)).toBe(true);
  expect(requests.resolve('ada', answer)).toBe(false);
});

it('a forgotten request takes no response and no memory', () => {
  const requests = createClientRequests();
  const { id } = requests.register(ASKED, 'ada', () => undefined);
  requests.forget(id);
  expect(requests.size).toBe(0);
  expect(requests.resolve('ada', { jsonrpc: '2.0', id, result: {} })).toBe(false);
});
