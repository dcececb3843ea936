import { request } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { route, streamedList, streamedObject } from './index.ts';

const LONG = 'é'.repeat(600_000);

type Item = { n: number; text: string };

async function* groupsOf(sizes: number[], failAt = Number.POSITIVE_INFINITY): AsyncGenerator<Item[]> {
  let n = 0;
  for (const [index, size] of sizes.entries()) {
    if (index === failAt) throw new Error('planted');
    yield Array.from({ length: size }, () => ({ n: n++, text: size > 1 ? 'short' : LONG }));
  }
}

const lists: Record<string, () => ReturnType<typeof streamedList<Item>>> = {
  empty: () => streamedList(groupsOf([])),
  one: () => streamedList(groupsOf([3])),
  large: () => streamedList(groupsOf([1, 1, 5, 1])),
  alone: () => streamedList(groupsOf([1])),
  early: () => streamedList(groupsOf([2, 2], 0)),
  late: () => streamedList(groupsOf([2, 2, 2, 2], 3)),
};

let server: TestServer;
beforeAll(async () => {
  const common = { method: 'GET', permission: 'public', summary: 'x', hidden: true } as const;
  const Items = z.array(z.strictObject({ n: z.int(), text: z.string() }));
  server = await startTestServer(sqliteForTests(), {
    extraRoutes: () => [
      route({
        ...common,
        path: '/lists/:name',
        operationId: 'lists',
        params: z.strictObject({ name: z.string() }),
        response: Items,
        handler: ({ params }) => lists[params.name]?.() ?? [],
      }),
      route({
        ...common,
        path: '/objects',
        operationId: 'objects',
        response: z.strictObject({ next: z.string().nullable(), data: Items }),
        handler: () => streamedObject({ next: null }, 'data', groupsOf([1, 0, 2])),
      }),
    ],
  });
});

const numbers = (items: Item[]) => items.map(({ n }) => n);

describe('a list that is written while it is read', () => {
  it.each([
    ['empty', []],
    ['one', [0, 1, 2]],
    ['large', [0, 1, 2, 3, 4, 5, 6, 7]],
    ['alone', [0]],
  ])('arrives whole: %s', async (name, expected) => {
    const response = await fetch(`${server.url}/lists/${name}`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.has('content-length')).toBe(name === 'empty' || name === 'one');
    expect(numbers((await response.json()) as Item[])).toEqual(expected);
  });

  it('may be a member of an object', async () => {
    const body = (await (await fetch(`${server.url}/objects`)).json()) as { next: null; data: Item[] };
    expect([body.next, numbers(body.data)]).toEqual([null, [0, 1, 2]]);
  });

  it('is a 500 when it fails before anything was sent, and breaks off when it fails later', async () => {
    expect((await fetch(`${server.url}/lists/early`)).status).toBe(500);
    const late = await fetch(`${server.url}/lists/late`);
    expect(late.status).toBe(200);
    await expect(late.text()).rejects.toThrow();
  });

  it('has only headers for HEAD', async () => {
    const response = await fetch(`${server.url}/lists/large`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it('is not read further when its client leaves', async () => {
    let read = 0;
    let ended = () => {};
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    lists.endless = () =>
      streamedList(
        (async function* () {
          try {
            for (; ; read++) yield [{ n: read, text: LONG }];
          } finally {
            ended();
          }
        })(),
      );
    const client = request(`${server.url}/lists/endless`);
    client.on('error', () => undefined);
    client.on('response', (response) => response.once('data', () => client.destroy()));
    client.end();
    await end;
    expect(read).toBeLessThan(100);
  });
});
