import { sql } from 'kysely';
import { afterCommit, type Database, type Tx } from '../kit/db/index.ts';

const POLL_MS = 1000;

/** Tells whoever keeps a list of a workspace's skills that it has changed, in this process or in another. */
export type Changes = {
  raise(tx: Tx, workspaceId: string): Promise<void>;
  /** Resolves, with the way to stop it, once no later change can be missed. Several may be told as one. */
  watch(workspaceId: string, listener: () => void): Promise<() => void>;
  stop(): void;
};

type Watched = { version: number | undefined; listeners: Set<() => void>; unlisten: () => void };

/** One number per workspace, raised with each change. One poller reads those that are watched; wake-ups are hints. */
export function createChanges(database: Database): Changes {
  const watched = new Map<string, Watched>();
  let timer: NodeJS.Timeout | undefined;
  const nameOf = (workspaceId: string) => `skills:${workspaceId}`;

  async function poll(): Promise<void> {
    const names = [...watched.keys()];
    const rows = await database.db.selectFrom('signals').selectAll().where('name', 'in', names).execute();
    const versions = new Map(rows.map(({ name, version }) => [name, version]));
    for (const [name, entry] of watched) {
      const version = versions.get(name) ?? 0;
      if (!names.includes(name) || version === entry.version) continue;
      const isFirst = entry.version === undefined;
      entry.version = version;
      if (!isFirst) for (const listener of entry.listeners) listener();
    }
  }

  // A failed read is no news; the next one will be.
  const look = () => (watched.size > 0 ? poll().catch(() => undefined) : Promise.resolve());

  function end(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    async raise(tx, workspaceId) {
      const name = nameOf(workspaceId);
      await tx
        .insertInto('signals')
        .values({ name, version: 1 })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ version: sql<number>`signals.version + 1` }))
        .execute();
      afterCommit(tx, () => database.wakeups.wake(name));
    },
    async watch(workspaceId, listener) {
      const name = nameOf(workspaceId);
      const entry: Watched = watched.get(name) ?? {
        version: undefined,
        listeners: new Set(),
        unlisten: database.wakeups.listen(name, () => void look()),
      };
      watched.set(name, entry);
      entry.listeners.add(listener);
      timer ??= setInterval(() => void look(), POLL_MS).unref();
      if (entry.version === undefined) await poll();
      return () => {
        entry.listeners.delete(listener);
        if (entry.listeners.size > 0 || watched.get(name) !== entry) return;
        entry.unlisten();
        watched.delete(name);
        if (watched.size === 0) end();
      };
    },
    stop() {
      for (const { unlisten } of watched.values()) unlisten();
      watched.clear();
      end();
    },
  };
}
