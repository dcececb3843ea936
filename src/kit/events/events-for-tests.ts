import { AliasNode, type KyselyPlugin, type QueryId, type RootOperationNode, SelectQueryNode, TableNode } from 'kysely';
import type { Database } from '../db/index.ts';

/** Called with the table of each SELECT: before it runs, and after it ran but before its result is handed out. */
export type QueryObserver = { before?: (table: string) => void; after?: (table: string) => Promise<void> };

/** The same database, with its reads watched. */
export function observeReads(database: Database, observer: QueryObserver): Database {
  const tables = new WeakMap<QueryId, string>();
  const plugin: KyselyPlugin = {
    transformQuery({ queryId, node }) {
      const table = tableOf(node);
      if (table) {
        tables.set(queryId, table);
        observer.before?.(table);
      }
      return node;
    },
    async transformResult({ queryId, result }) {
      const table = tables.get(queryId);
      if (table) await observer.after?.(table);
      return result;
    },
  };
  return { ...database, db: database.db.withPlugin(plugin) };
}

export function onPageRead(database: Database, after: () => Promise<void>): Database {
  return observeReads(database, { after: async (table) => (table === 'events' ? after() : undefined) });
}

/** Waits for what must become true; the test's own time limit is the only one. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turns(1);
}

/** Lets everything that is ready run: so many turns of the event loop, timers and sockets included. */
export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

function tableOf(node: RootOperationNode): string | undefined {
  if (!SelectQueryNode.is(node)) return undefined;
  const from = node.from?.froms[0];
  // A page is read from both tables of events; its parts come here as well.
  if (from && AliasNode.is(from)) return node.setOperations ? 'events' : undefined;
  return from && TableNode.is(from) ? from.table.identifier.name : undefined;
}
