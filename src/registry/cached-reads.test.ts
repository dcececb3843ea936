import { beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../test/support/databases.ts';
import { uuid } from '../kit/base/ids.ts';
import type { Database } from '../kit/db/index.ts';
import { newScope, openRegistry } from './registry-for-tests.ts';

onEachDatabase('a cached read', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
    return () => database.close();
  });

  it('is dropped by every change that could make it stale, for everyone in the workspace', async () => {
    const { registry } = openRegistry(database, uuid());
    const ann = newScope();
    const bob = newScope(ann.workspace_id);
    await registry.create(ann, { name: 'a', definition: 1, aliases: ['main'], sharing: 'workspace' });
    const selectors = [{}, { alias: 'main' }, { alias: 'latest' }, { version: 1 }];
    const changes = [
      () => registry.createVersion(ann, 'a', { definition: 2, aliases: ['main'] }),
      () => registry.updateVersion(ann, 'a', 1, { notes: 'n' }),
      () => registry.updateVersion(ann, 'a', 1, { aliases: ['main'] }),
      () => registry.update(ann, 'a', { title: 't' }),
      () => registry.create(bob, { name: 'a', definition: 'own', aliases: ['main'] }),
      () => registry.update(ann, 'a', { sharing: 'private' }),
      () => registry.remove(ann, 'a'),
    ];
    for (const change of changes) {
      for (const viewer of [ann, bob]) {
        for (const selector of selectors) {
          const read = await registry.read(viewer, 'a', selector).catch(() => undefined);
          const cached = registry.readCached(viewer, 'a', selector);
          if (test.kind === 'sqlite') expect(cached).toEqual(read);
          else expect(cached).toBeUndefined();
        }
      }
      await change();
      for (const viewer of [ann, bob])
        for (const selector of selectors) expect(registry.readCached(viewer, 'a', selector)).toBeUndefined();
    }
  });

  it('is not mixed up between users, workspaces and kinds', async () => {
    const { registry } = openRegistry(database, uuid());
    const ann = newScope();
    await registry.create(ann, { name: 'a', definition: 1 });
    await registry.read(ann, 'a', {});
    expect(registry.readCached(newScope(ann.workspace_id), 'a', {})).toBeUndefined();
    expect(registry.readCached({ ...newScope(), user_id: ann.user_id }, 'a', {})).toBeUndefined();
    expect(registry.readCached(ann, 'a', { alias: '' })).toBeUndefined();
    expect(openRegistry(database, uuid()).registry.readCached(ann, 'a', {})).toBeUndefined();
    expect(() => registry.readCached(ann, 'a', { alias: 'x', version: 1 })).toThrow('not both');
  });
});
