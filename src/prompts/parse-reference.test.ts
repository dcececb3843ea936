import { expect, it } from 'vitest';
import { matchReference } from './parse-reference.ts';

const prompt = { id: '0b2f', name: 'greeting' };

it.each([
  ['prompt:greeting', {}],
  ['prompt:0b2f', {}],
  ['prompt:greeting@production', { alias: 'production' }],
  ['prompt:greeting#3', { version: 3 }],
])('%s is a reference to the prompt', (model, selected) => {
  expect(matchReference(model, prompt)).toEqual(selected);
});

it.each(['greeting', 'prompt:greetings', 'prompt:other@greeting', 'prompt:greeting@', 'prompt:greeting#x', 'prompt:'])(
  '%s is none',
  (model) => {
    expect(matchReference(model, prompt)).toBeUndefined();
  },
);
