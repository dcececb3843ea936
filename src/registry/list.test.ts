import { beforeAll, describe, expect, it } from 'vitest';
import { onEachDatabase } from '../../test/support/databases.ts';
import { uuid } from '../kit/base/ids.ts';
import type { Database } from '../kit/db/index.ts';
import type { Viewer } from './index.ts';
import { itemsOf, newScope, openRegistry } from './registry-for-tests.ts';
import type { ListQuery } from './schema.ts';

const byName = { field: 'name', direction: 'asc', withDefinition: true } as const;

onEachDatabase('a list of versioned objects', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
    return () => database.close();
  });

  type Open = ReturnType<typeof openRegistry>['registry'];
  const open = () => openRegistry(database, uuid()).registry;
  const letters = (count: number) => Array.from({ length: count }, (_, i) => String.fromCharCode(97 + i));

  async function readAll(
    registry: Open,
    viewer: Viewer,
    query: Omit<ListQuery, 'pageToken'>,
    between: (page: number) => Promise<unknown> = async () => undefined,
  ) {
    const names: string[] = [];
    for (let pageToken: string | undefined, page = 1; ; page++) {
      const { groups, nextPageToken } = await registry.list(viewer, { ...query, pageToken });
      const items = await itemsOf({ groups });
      names.push(...items.map(({ name }) => name));
      if (nextPageToken === undefined) return names;
      pageToken = nextPageToken;
      await between(page);
    }
  }

  describe('in pages', () => {
    it('shows every object once, shared and own together, in each order and direction', async () => {
      const registry = open();
      const ann = newScope();
      const bob = newScope(ann.workspace_id);
      for (const [i, name] of letters(11).entries()) {
        const title = `${i % 3}`;
        await registry.create(i % 2 ? ann : bob, {
          name,
          title,
          definition: i,
          sharing: i % 4 < 2 ? 'workspace' : 'private',
        });
      }
      await registry.create(newScope(ann.workspace_id), { name: 'hidden', definition: 1 });
      await registry.create(newScope(), { name: 'elsewhere', definition: 1, sharing: 'workspace' });
      const seen = letters(11).filter((_, i) => i % 4 < 2 || i % 2 === 1);
      for (const field of ['created_at', 'updated_at', 'name', 'title'] as const) {
        for (const direction of ['asc', 'desc'] as const) {
          const whole = await readAll(registry, ann, { field, direction, pageSize: 100, withDefinition: false });
          expect([...whole].sort()).toEqual(seen);
          const paged = await readAll(registry, ann, { field, direction, pageSize: 3, withDefinition: false });
          expect(paged).toEqual(whole);
          if (field === 'name') expect(whole).toEqual(direction === 'asc' ? seen : [...seen].reverse());
        }
      }
    });

    it('repeats nothing and misses nothing that stays, while others insert and delete between the pages', async () => {
      for (const field of ['created_at', 'name', 'title', 'updated_at'] as const) {
        for (const direction of ['asc', 'desc'] as const) {
          const registry = open();
          const ann = newScope();
          for (const name of letters(20)) await registry.create(ann, { name: `${name}-${name}`, definition: 1 });
          const doomed = letters(20).filter((_, i) => i % 5 === 2);
          const names = await readAll(
            registry,
            ann,
            { field, direction, pageSize: 4, withDefinition: false },
            async (page) => {
              await registry.create(ann, { name: `${letters(20)[page * 2]}-new`, definition: page });
              const victim = doomed[page - 1];
              if (victim) await registry.remove(ann, `${victim}-${victim}`);
            },
          );
          const stable = letters(20).filter((letter) => !doomed.includes(letter));
          expect(new Set(names).size).toBe(names.length);
          expect(names).toEqual(expect.arrayContaining(stable.map((letter) => `${letter}-${letter}`)));
        }
      }
    });

    it('shows nothing twice by time of change, although what was shown changes and moves', async () => {
      for (const direction of ['asc', 'desc'] as const) {
        const registry = open();
        const ann = newScope();
        for (const name of letters(12)) await registry.create(ann, { name, definition: 1 });
        const touched = direction === 'asc' ? letters(12) : letters(12).reverse();
        const query = { field: 'updated_at', direction, pageSize: 3, withDefinition: false } as const;
        const names = await readAll(registry, ann, query, async (page) => {
          for (const name of touched.slice(0, page * 3)) await registry.update(ann, name, { title: `page ${page}` });
        });
        expect(names).toEqual(touched);
      }
    });

    it('goes on after the object that its token names was deleted', async () => {
      const registry = open();
      const ann = newScope();
      for (const name of letters(4)) await registry.create(ann, { name, definition: 1 });
      const { nextPageToken } = await registry.list(ann, { ...byName, pageSize: 2 });
      await registry.remove(ann, 'b');
      const items = await itemsOf(await registry.list(ann, { ...byName, pageSize: 2, pageToken: nextPageToken }));
      expect(items.map(({ name }) => name)).toEqual(['c', 'd']);
    });
  });

  describe('a page token', () => {
    it('that was altered, or belongs to another list, is refused', async () => {
      const registry = open();
      const other = open();
      const ann = newScope();
      for (const name of letters(5)) await registry.create(ann, { name, definition: 1, aliases: ['main'] });
      const { nextPageToken = '' } = await registry.list(ann, { ...byName, pageSize: 2 });
      const refused = { status: 400, message: expect.stringContaining('pageToken') };
      const [position = '', mac = ''] = nextPageToken.split('.');
      const flip = (text: string, at: number) =>
        `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
      const forged = Buffer.from(JSON.stringify({ after: { key: 'a', id: '' } })).toString('base64url');
      for (const pageToken of [
        'x',
        '.',
        position,
        `${nextPageToken}.`,
        `${nextPageToken}=`,
        `${forged}.${mac}`,
        `${flip(position, 3)}.${mac}`,
        ...Array.from(mac, (_, at) => `${position}.${flip(mac, at)}`),
      ])
        await expect(registry.list(ann, { ...byName, pageSize: 2, pageToken })).rejects.toMatchObject(refused);
      const pageToken = nextPageToken;
      for (const attempt of [
        () => registry.list(newScope(ann.workspace_id), { ...byName, pageSize: 2, pageToken }),
        () => registry.list({ ...newScope(), user_id: ann.user_id }, { ...byName, pageSize: 2, pageToken }),
        () => registry.list(ann, { ...byName, field: 'title', pageSize: 2, pageToken }),
        () => registry.list(ann, { ...byName, direction: 'desc', pageSize: 2, pageToken }),
        () => registry.list(ann, { ...byName, alias: 'main', pageSize: 2, pageToken }),
        () => other.list(ann, { ...byName, pageSize: 2, pageToken }),
      ])
        await expect(attempt()).rejects.toMatchObject(refused);
      await expect(registry.list(ann, { ...byName, pageSize: 3, pageToken })).resolves.toBeDefined();
    });
  });

  describe('with an alias', () => {
    it('shows only objects that have it, each at that version, in order and in pages', async () => {
      const registry = open();
      const ann = newScope();
      for (const name of letters(9)) {
        await registry.create(ann, { name, definition: 1, aliases: name < 'g' ? ['main'] : [] });
        await registry.createVersion(ann, name, { definition: 2 });
      }
      const query = { ...byName, alias: 'main', pageSize: 4 } as const;
      expect(await readAll(registry, ann, query)).toEqual(letters(6));
      expect(await readAll(registry, ann, { ...query, direction: 'desc' })).toEqual(letters(6).reverse());
      const items = await itemsOf(await registry.list(ann, query));
      expect(items.every(({ version, definition }) => version === 1 && definition === 1)).toBe(true);
      expect(
        (await itemsOf(await registry.list(ann, { ...query, alias: 'latest' }))).every(({ version }) => version === 2),
      ).toBe(true);
      expect(await itemsOf(await registry.list(ann, { ...query, alias: 'none' }))).toEqual([]);
    });

    it('that many objects have is as right as a rare one', async () => {
      const { registry } = openRegistry(database, uuid(), { rareHoldersMax: 3 });
      const ann = newScope();
      for (const [i, name] of letters(8).entries())
        await registry.create(ann, { name, definition: 1, aliases: i % 4 === 3 ? [] : ['main'] });
      const expected = ['a', 'b', 'c', 'e', 'f', 'g'];
      expect(await readAll(registry, ann, { ...byName, alias: 'main', pageSize: 2 })).toEqual(expected);
      const newest = await readAll(registry, ann, { ...byName, direction: 'desc', alias: 'main', pageSize: 2 });
      expect(newest).toEqual(expected.reverse());
    });
  });
});

onEachDatabase('the history of an object', (test) => {
  it('that is longer than one query finds is whole, newest first, each version with its aliases', async () => {
    const database = await test.open();
    const { registry } = openRegistry(database, uuid(), { versionsPerSearch: 3 });
    const ann = newScope();
    await registry.create(ann, { name: 'a', definition: 1, aliases: ['v1'] });
    for (let i = 2; i <= 7; i++) await registry.createVersion(ann, 'a', { definition: i, aliases: [`v${i}`] });
    const versions: unknown[] = [];
    for await (const page of (await registry.history(ann, 'a')).pages)
      for (const { version, definition, aliases } of page) versions.push([version, definition, aliases]);
    expect(versions).toEqual([7, 6, 5, 4, 3, 2, 1].map((i) => [i, i, [`v${i}`]]));
    await database.close();
  });
});
