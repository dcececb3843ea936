import { expect, it } from 'vitest';
import { matchFields } from './match-fields.ts';

const field = (label: string, ...names: string[]) => ({ id: label, label, names });
const match = (path: string, ...fields: ReturnType<typeof field>[]) =>
  [...matchFields([{ field: path, message: 'wrong' }], fields).byId.keys()][0];

it('finds the input by its label, in the words of the API or of people', () => {
  expect(match('name', field('Description'), field('Name'))).toBe('Name');
  expect(match('monthly_budget', field('Monthly budget (EUR)'))).toBe('Monthly budget (EUR)');
  expect(match('definition.content', field('Name'), field('Text'))).toBe('Text');
  expect(match('url', field('Address'))).toBe('Address');
  expect(match('requests_per_second', field('Tokens per minute'), field('Requests per second'))).toBe(
    'Requests per second',
  );
});

it('a name that is given goes before labels, the longest first', () => {
  const fields = [
    field('Address', 'url'),
    field('Address of fallback 1', 'fallbacks.0.url'),
    field('All', 'fallbacks'),
  ];
  expect(match('fallbacks.0.url', ...fields)).toBe('Address of fallback 1');
  expect(match('fallbacks.1', ...fields)).toBe('All');
  expect(match('url', ...fields)).toBe('Address');
});

it('what no input shows, and what could be two, is left', () => {
  expect(matchFields([{ field: 'colour', message: 'wrong' }], [field('Name')])).toEqual({
    byId: new Map(),
    left: [{ field: 'colour', message: 'wrong' }],
  });
  expect(match('price.prompt', field('Prompt price'), field('Prompt price of audio'))).toBe(undefined);
});
