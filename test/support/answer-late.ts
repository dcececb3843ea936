import type { KyselyPlugin } from 'kysely';
import type { Database } from '../../src/kit/db/index.ts';

/** The same database with its first result held back until `arrive` is called, so that others may overtake it. */
export function answerLate(database: Database) {
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  let answers = 0;
  const late: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (answers++ === 0) {
        asked.resolve();
        await held.promise;
      }
      return result;
    },
  };
  return {
    database: { ...database, db: database.db.withPlugin(late) },
    /** Resolves when the first result has arrived and is held back. */
    asked: asked.promise,
    arrive: held.resolve,
  };
}
