import type { Database } from '../kit/db/index.ts';
import type { AuditLogEventType } from './schema.ts';
import { findHead, listChangesBetween } from './store.ts';

const POLL_MS = 1000;

/** An event type and its workspace; each pair is listed once. */
export type AuditChange = { event_type: AuditLogEventType; workspace_id: string | null };

export type AuditFollower = {
  /** Reports all entries committed after the promise resolves, until the returned function is called. */
  follow(organizationId: string, onChanges: (changes: AuditChange[]) => void): Promise<() => void>;
  stop(): void;
};

type Followed = { head: number; listeners: Set<(changes: AuditChange[]) => void>; unlisten: () => void };

export function topicOf(organizationId: string): string {
  return `audit:${organizationId}`;
}

/**
 * Every change writes an audit entry in its transaction, so a follower sees the changes of all processes. Wake-ups may be
 * lost; a poller also reads the heads of the followed organizations.
 */
export function createAuditFollower(database: Database, pollMs = POLL_MS): AuditFollower {
  const followed = new Map<string, Followed>();
  let timer: NodeJS.Timeout | undefined;

  async function read(organizationId: string): Promise<void> {
    const entry = followed.get(organizationId);
    if (!entry) return;
    const after = entry.head;
    const head = (await findHead(database.db, organizationId))?.log_id ?? 0;
    if (head <= after) return;
    const changes = await listChangesBetween(database.db, organizationId, { after, last: head });
    // Of overlapping reads only the first one reports.
    if (entry.head !== after) return;
    entry.head = head;
    for (const listener of entry.listeners) listener(changes);
  }

  // A failed read is repeated at the next poll.
  function readQuietly(organizationId: string): void {
    read(organizationId).catch(() => undefined);
  }

  function leave(organizationId: string, entry: Followed, listener: (changes: AuditChange[]) => void): void {
    entry.listeners.delete(listener);
    if (entry.listeners.size > 0 || followed.get(organizationId) !== entry) return;
    entry.unlisten();
    followed.delete(organizationId);
    if (followed.size === 0) stop();
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function begin(organizationId: string, head: number): Followed {
    const unlisten = database.wakeups.listen(topicOf(organizationId), () => readQuietly(organizationId));
    const entry = { head, listeners: new Set<(changes: AuditChange[]) => void>(), unlisten };
    followed.set(organizationId, entry);
    timer ??= setInterval(() => {
      for (const id of followed.keys()) readQuietly(id);
    }, pollMs).unref();
    return entry;
  }

  return {
    async follow(organizationId, onChanges) {
      const head = (await findHead(database.db, organizationId))?.log_id ?? 0;
      const entry = followed.get(organizationId) ?? begin(organizationId, head);
      const listener = (changes: AuditChange[]) => onChanges(changes);
      entry.listeners.add(listener);
      return () => leave(organizationId, entry, listener);
    },
    stop,
  };
}
