import { expect, it } from 'vitest';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { engineErrors } from '../engines/index.ts';
import { createLog } from '../kit/base/log.ts';
import { callerForTests, chunkForTests, retrievalForTests } from './retrieval-for-tests.ts';

const DOCUMENTS = 2;

onEachDatabase('an embedding model that is not there', (testDatabase) => {
  it.runIf(isSqliteOrFull(testDatabase))(
    'is reported once; documents wait for it however long it takes, and their words are found meanwhile',
    async () => {
      const database = await testDatabase.open();
      let isHere = false;
      const fails = () => !isHere && engineErrors.weights_missing('not here', { retryAfterSeconds: 10 });
      const lines: string[] = [];
      const log = createLog('silent');
      log.warn = log.error = log.info = (...parameters: unknown[]) => void lines.push(String(parameters.at(-1)));
      const { service } = retrievalForTests(database, { models: [{ id: 'tiny-embed', fails }], log });
      const ref = { workspaceId: 'w1', collectionId: 'waiting' };
      const holder = { user_id: 'u1', workspace_id: 'w1', key_id: 'k1' } as never;
      const search = (query: string) =>
        service.search({ collections: [ref], query, limit: 1, mode: 'hybrid', caller: callerForTests('w1') });
      const embedded = async () => [...(await service.progress({ ...ref, documentIds: ['d0'] })).values()];
      await service.start();
      try {
        for (let n = 0; n < DOCUMENTS; n++) {
          const chunks = [chunkForTests(0, `The automobile number ${n}.`)];
          const document = { documentId: `d${n}`, title: '', language: null, attributes: {}, chunks, holder };
          await service.put({ ...ref, organizationId: 'o1', ...document });
        }
        await service.idle();
        const wake = async () => {
          const due = { due_ms: null, state: 'ready', run_at_ms: 0 } as const;
          const waiting = database.db.updateTable('tasks').set(due).where('queue', '=', 'retrieval');
          await waiting.where('state', '=', 'delayed').execute();
          await service.idle();
        };
        // More often than a task that fails may be tried.
        for (let round = 0; round < 25; round++) await wake();
        expect((await search('automobile'))[0]).toMatchObject({ scores: { vector: null } });
        expect(await embedded()).toEqual([{ chunks: 1, embedded: 0 }]);
        const said = () => lines.filter((line) => !line.includes('pgvector'));
        expect(said()).toEqual([expect.stringContaining('tramontane pull tiny-embed')]);

        isHere = true;
        await wake();
        expect(await embedded()).toEqual([{ chunks: 1, embedded: 1 }]);
        expect(said().slice(1)).toEqual(['the embedding model of documents is there']);
      } finally {
        await service.stop();
      }
    },
  );
});
