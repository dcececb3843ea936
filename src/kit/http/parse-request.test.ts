import { expect, it } from 'vitest';
import { z } from 'zod';
import { cpuMsOf } from '../../../test/support/cpu-time.ts';
import { ValidationFailed } from './errors.ts';
import { parseRequest } from './parse-request.ts';
import { type AnyRoute, route } from './route.ts';

const Item = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('a'), text: z.string() }),
  z.strictObject({ kind: z.literal('b'), items: z.array(z.int()) }),
]);

const items = route({
  method: 'POST',
  path: '/items',
  operationId: 'items',
  summary: 'Take items',
  permission: 'public',
  body: z.strictObject({ name: z.string(), items: z.union([z.array(Item), z.array(z.string())]) }),
  handler: () => undefined,
});

function mistakesIn(body: unknown, of: AnyRoute = items) {
  try {
    parseRequest(of, { params: {}, query: {}, body });
  } catch (error) {
    if (error instanceof ValidationFailed) return error.items;
    throw error;
  }
  return [];
}

it('every mistake of a request of ordinary size is told', () => {
  const body = { items: [{ kind: 'a' }, { kind: 'b', items: ['x', 1, 'y'] }, 3] };
  expect(mistakesIn(body).map(({ loc }) => loc.join('.'))).toEqual(
    expect.arrayContaining(['body.name', 'body.items.list[tagged-union[model,model]].0.a.text']),
  );
  expect(mistakesIn(body).length).toBeGreaterThan(4);
});

it.each<[string, unknown]>([
  ['zeros', Array(1_000_000).fill(0)],
  ['empty objects', Array(300_000).fill({})],
  ['lists of mistakes', Array(1000).fill({ kind: 'b', items: Array(1000).fill('x') })],
  ['mistakes at the end', [...Array(20_000).fill('fine'), ...Array(500_000).fill(0)]],
])('a huge list of %s is refused without being read to its end', (_, list) => {
  let found: unknown[] = [];
  const cpuMs = cpuMsOf(() => {
    found = mistakesIn({ items: list });
  });
  expect(found.length).toBeGreaterThan(0);
  // Reading on takes seconds.
  expect(cpuMs).toBeLessThan(800);
});

it.each([
  ['ids that are none', z.array(z.uuid()), (length: number) => Array(length).fill('x')],
  ['texts that are too short', z.array(z.string().min(2)).min(1), (length: number) => Array(length).fill('')],
  [
    'lists of such texts',
    z.array(z.array(z.string().min(2))),
    (length: number) => Array(length / 2000).fill(Array(2000).fill('')),
  ],
])('a huge list of %s is refused without being read to its end, at the right place', (_, list, make) => {
  const ids = { ...items, body: z.strictObject({ ids: list.nullable().optional() }) };
  const fine = list instanceof z.ZodArray && list.element instanceof z.ZodArray ? [['fine']] : [];
  let found: { loc: unknown[] }[] = [];
  const cpuMs = cpuMsOf(() => {
    found = mistakesIn({ ids: [...fine, ...make(1_000_000)] }, ids);
  });
  expect(cpuMs).toBeLessThan(800);
  expect(found[0]?.loc.slice(0, 3)).toEqual(['body', 'ids', fine.length]);
});

it('a list that is too long is said to be, and its length counts as a whole', () => {
  const few = { ...items, body: z.strictObject({ ids: z.array(z.string()).max(1500) }) };
  expect(mistakesIn({ ids: Array(1500).fill('x') }, few)).toEqual([]);
  expect(mistakesIn({ ids: Array(1501).fill('x') }, few)).toMatchObject([{ type: 'too_long', loc: ['body', 'ids'] }]);
});

it('of a list that is far too long nothing is read, unless a check of it all relies on that', () => {
  let read = 0;
  const text = z.string().refine(() => ++read > 0);
  const far = (list: z.ZodType) =>
    mistakesIn({ ids: Array(10_000).fill('x') }, { ...items, body: z.strictObject({ ids: list }) });
  expect(far(z.array(text).max(100))).toMatchObject([{ type: 'too_long', loc: ['body', 'ids'] }]);
  expect(read).toBe(0);
  const unlike = z.array(text.transform((word) => word.length)).refine((all) => all.every(Number.isInteger));
  expect(far(unlike.max(100))).toMatchObject([{ type: 'too_long' }]);
  expect(read).toBe(10_000);
});

it('of a body with more than a thousand values only the first mistakes are told', () => {
  const body = (values: number) => ({ items: [...Array(values).fill('fine'), 1, 2, 3] });
  expect(mistakesIn(body(900)).length).toBeGreaterThan(mistakesIn(body(1100)).length);
  expect(mistakesIn(body(1100)).length).toBeGreaterThan(0);
});

it('a huge list without a mistake is taken whole', () => {
  const list = Array.from({ length: 50_000 }, (_, index) => `${index}`);
  expect(parseRequest(items, { params: {}, query: {}, body: { name: 'n', items: list } }).body).toEqual({
    name: 'n',
    items: list,
  });
});

it('a list of numbers is checked as strictly as each of them, in little time', () => {
  const vectors = {
    ...items,
    body: z.strictObject({ tokens: z.array(z.int().min(0).max(100)).min(1), v: z.array(z.number()) }),
  };
  const numbers = Array(100_000).fill(7);
  const mistakes = (tokens: unknown[], v: unknown[] = [0.5, -1]) => mistakesIn({ tokens, v }, vectors);
  expect(cpuMsOf(() => expect(mistakes(numbers, numbers)).toEqual([]))).toBeLessThan(30);
  for (const wrong of [1.5, -1, 101, '7', null, 2 ** 60])
    expect(mistakes([...numbers, wrong]), `${wrong}`).toHaveLength(1);
  for (const wrong of ['7', null, true]) expect(mistakes([7], [1, wrong])).toMatchObject([{ loc: ['body', 'v', 1] }]);
  expect(mistakes([])).toMatchObject([{ type: 'too_short' }]);
});
