import { beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { uuid } from '../base/ids.ts';
import type { Database } from '../db/index.ts';
import { newViewer, openVersions } from './versions-for-tests.ts';

onEachDatabase('what is told from memory', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
    return () => database.close();
  });

  it('is forgotten with every change that could make it wrong, for everyone in the workspace', async () => {
    const { versions } = openVersions(database, uuid());
    const ann = newViewer();
    const bob = newViewer(ann.workspace_id);
    await versions.create(ann, { name: 'a', definition: 1, aliases: ['main'], sharing: 'workspace' });
    const selectors = [{}, { alias: 'main' }, { alias: 'latest' }, { version: 1 }];
    const changes = [
      () => versions.createVersion(ann, 'a', { definition: 2, aliases: ['main'] }),
      () => versions.updateVersion(ann, 'a', 1, { notes: 'n' }),
      () => versions.updateVersion(ann, 'a', 1, { aliases: ['main'] }),
      () => versions.update(ann, 'a', { title: 't' }),
      () => versions.create(bob, { name: 'a', definition: 'own', aliases: ['main'] }),
      () => versions.update(ann, 'a', { sharing: 'private' }),
      () => versions.remove(ann, 'a'),
    ];
    for (const change of changes) {
      for (const viewer of [ann, bob]) {
        for (const selector of selectors) {
          const read = await versions.read(viewer, 'a', selector).catch(() => undefined);
          const recalled = versions.recall(viewer, 'a', selector);
          if (test.kind === 'sqlite') expect(recalled).toEqual(read);
          else expect(recalled).toBeUndefined();
        }
      }
      await change();
      for (const viewer of [ann, bob])
        for (const selector of selectors) expect(versions.recall(viewer, 'a', selector)).toBeUndefined();
    }
  });

  it('is not mixed up between users, workspaces and kinds', async () => {
    const { versions } = openVersions(database, uuid());
    const ann = newViewer();
    await versions.create(ann, { name: 'a', definition: 1 });
    await versions.read(ann, 'a', {});
    expect(versions.recall(newViewer(ann.workspace_id), 'a', {})).toBeUndefined();
    expect(versions.recall({ ...newViewer(), user_id: ann.user_id }, 'a', {})).toBeUndefined();
    expect(versions.recall(ann, 'a', { alias: '' })).toBeUndefined();
    expect(openVersions(database, uuid()).versions.recall(ann, 'a', {})).toBeUndefined();
    expect(() => versions.recall(ann, 'a', { alias: 'x', version: 1 })).toThrow('not both');
  });
});
