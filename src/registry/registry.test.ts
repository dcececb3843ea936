import { beforeAll, describe, expect, it } from 'vitest';
import { onEachDatabase } from '../../test/support/databases.ts';
import { uuid } from '../kit/base/ids.ts';
import type { Database } from '../kit/db/index.ts';
import { itemsOf, newScope, openRegistry } from './registry-for-tests.ts';

onEachDatabase('versions', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
    return () => database.close();
  });

  const open = () => openRegistry(database, uuid());
  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

  describe('numbers', () => {
    it('run 1, 2, 3 … without a gap under 100 parallel creates [PROMPTS-NUMBERS-GAPLESS]', async () => {
      const { registry } = open();
      const ann = newScope();
      await registry.create(ann, { name: 'a', definition: 0 });
      const created = await Promise.all(
        numbers(1, 100).map((definition) => registry.createVersion(ann, 'a', { definition })),
      );
      expect(created.map(({ version }) => version).sort((a, b) => a - b)).toEqual(numbers(2, 101));
      expect(created.every(({ deduplicated }) => !deduplicated)).toBe(true);
      expect((await registry.find(ann, 'a', {})).latest_version).toBe(101);
    });

    it('are assigned once when 20 requests send one definition at the same time', async () => {
      const { registry } = open();
      const ann = newScope();
      await registry.create(ann, { name: 'a', definition: 0 });
      const created = await Promise.all(
        numbers(1, 20).map(() => registry.createVersion(ann, 'a', { definition: 'x' })),
      );
      expect(created.map(({ version }) => version)).toEqual(created.map(() => 2));
      expect(created.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1);
    });
  });

  describe('the same definition', () => {
    it('keeps the number of any earlier version, whatever the order of its keys', async () => {
      const { registry } = open();
      const ann = newScope();
      await registry.create(ann, { name: 'a', definition: { x: 1, y: { b: 1, a: [2, 1] } } });
      await registry.createVersion(ann, 'a', { definition: { x: 2 } });
      const again = await registry.createVersion(ann, 'a', { definition: { y: { a: [2, 1], b: 1 }, x: 1 } });
      expect(again).toMatchObject({ version: 1, deduplicated: true });
      const other = await registry.createVersion(ann, 'a', { definition: { x: 1, y: { b: 1, a: [1, 2] } } });
      expect(other).toMatchObject({ version: 3, deduplicated: false });
    });

    it('takes notes and aliases, and changes nothing without them', async () => {
      const { registry, recorded } = open();
      const ann = newScope();
      const { etag } = await registry.create(ann, { name: 'a', definition: 1, notes: 'first' });
      const bare = await registry.createVersion(ann, 'a', { definition: 1 });
      expect(bare).toEqual({ version: 1, deduplicated: true, etag });
      expect(recorded).toHaveLength(1);
      await registry.createVersion(ann, 'a', { definition: 1, notes: 'better', aliases: ['stable'] });
      expect(await registry.find(ann, 'a', { alias: 'stable' })).toMatchObject({ version: 1, notes: 'better' });
    });
  });

  describe('private objects', () => {
    it('do not exist for others of the workspace, whatever they try', async () => {
      const { registry } = open();
      const ann = newScope();
      const bob = newScope(ann.workspace_id);
      const { value } = await registry.create(ann, { name: 'a', definition: 1, aliases: ['stable'] });
      for (const ref of ['a', value.id]) {
        const missing = { status: 404, message: expect.stringContaining(`No thing '${ref}' was found`) };
        for (const attempt of [
          () => registry.read(bob, ref, {}),
          () => registry.read(bob, ref, { alias: 'stable' }),
          () => registry.read(bob, ref, { version: 1 }),
          () => registry.find(bob, ref, {}),
          () => registry.history(bob, ref),
          () => registry.aliasMoves(bob, ref),
          () => registry.createVersion(bob, ref, { definition: 2 }),
          () => registry.update(bob, ref, { title: 'x' }),
          () => registry.updateVersion(bob, ref, 1, { notes: 'x' }),
          () => registry.remove(bob, ref),
        ])
          await expect(attempt()).rejects.toMatchObject(missing);
      }
      const page = { pageSize: 10, field: 'name', direction: 'asc', withDefinition: true } as const;
      expect(await itemsOf(await registry.list(bob, page))).toEqual([]);
      expect(await itemsOf(await registry.list(bob, { ...page, alias: 'stable' }))).toEqual([]);
      await expect(registry.create(bob, { name: 'a', definition: 1 })).resolves.toBeDefined();
    });
  });
});
