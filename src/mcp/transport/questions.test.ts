import { expect, it } from 'vitest';
import { createQuestions } from './questions.ts';

const ASKED = { jsonrpc: '2.0', id: 0, method: 'elicitation/create' } as const;

it('an answer reaches the call that asked, under the id it asked with', () => {
  const questions = createQuestions();
  const taken: unknown[] = [];
  const first = questions.ask(ASKED, 'ada', (answer) => taken.push(['first', answer]));
  const second = questions.ask(ASKED, 'ada', (answer) => taken.push(['second', answer]));
  expect(first.id).not.toBe(second.id);
  expect(questions.answer('ada', { jsonrpc: '2.0', id: second.id, result: { action: 'accept' } })).toBe(true);
  expect(taken).toEqual([['second', { jsonrpc: '2.0', id: 0, result: { action: 'accept' } }]]);
});

it('nobody answers for somebody else, twice, or without an id', () => {
  const questions = createQuestions();
  const { id } = questions.ask(ASKED, 'ada', () => undefined);
  const answer = { jsonrpc: '2.0', id, result: {} } as const;
  expect(questions.answer('mallory', answer)).toBe(false);
  expect(questions.answer('ada', { jsonrpc: '2.0', error: { code: -32600, message: 'What?' } })).toBe(false);
  expect(questions.answer('ada', answer)).toBe(true);
  expect(questions.answer('ada', answer)).toBe(false);
});

it('a forgotten question is answered no more and takes no room', () => {
  const questions = createQuestions();
  const { id } = questions.ask(ASKED, 'ada', () => undefined);
  questions.forget(id);
  expect(questions.size).toBe(0);
  expect(questions.answer('ada', { jsonrpc: '2.0', id, result: {} })).toBe(false);
});
