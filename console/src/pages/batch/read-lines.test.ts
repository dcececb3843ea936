import { expect, it } from 'vitest';
import { readLines } from './read-lines.ts';

it('a file of requests is counted, and its model is found', () => {
  expect(readLines('{"custom_id":"1","body":{"model":"m"}}\n\n{"body":{}}\n')).toEqual({
    ...{ count: 2, model: 'm', problem: undefined },
  });
});

it.each([
  ['', 'The file has no requests.'],
  ['{"body":{}}\n{oops', 'Line 2 is not JSON.'],
  ['{"custom_id":"1"}', 'Line 1 has no "body" with the request.'],
  ['null', 'Line 1 is not JSON.'],
])('what is wrong with %j is said before it is sent', (text, problem) => {
  expect(readLines(text).problem).toBe(problem);
});
