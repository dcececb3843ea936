import { expect, it } from 'vitest';
import { readObject, summaryOf } from './record-text.ts';

it('a record is summed up by its last question and its answer', () => {
  const ask = { role: 'user', content: [{ type: 'text', text: 'Where from?' }] };
  expect(summaryOf({ payload: { messages: [ask] } })).toEqual({ question: 'Where from?', answer: '' });
  expect(summaryOf({ payload: { messages: [ask, { role: 'assistant', content: 'North.' }] } })).toEqual({
    question: 'Where from?',
    answer: 'North.',
  });
  expect(summaryOf({ payload: { text: 'x' } })).toEqual({ question: '{"text":"x"}', answer: '' });
});

it('only a JSON object is taken', () => {
  expect(readObject(' ')).toEqual({ value: {} });
  expect(readObject('{"a":1}')).toEqual({ value: { a: 1 } });
  expect(readObject('[1]').problem).toContain('object');
  expect(readObject('{').problem).toContain('not JSON');
});
