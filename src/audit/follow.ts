import type { Database } from '../kit/db/index.ts';
import type { AuditLogEventType } from './schema.ts';
import { findHead, listKindsBetween } from './store.ts';

const POLL_MS = 1000;

/** What happened where; each pair once, however often it happened. */
export type AuditNews = { event_type: AuditLogEventType; workspace_id: string | null };

export type AuditFollower = {
  /** Tells of every entry that is committed after the returned promise resolves, until the returned function is called. */
  follow(organizationId: string, onNews: (news: AuditNews[]) => void): Promise<() => void>;
  stop(): void;
};

type Followed = { head: number; listeners: Set<(news: AuditNews[]) => void>; unlisten: () => void };

export function topicOf(organizationId: string): string {
  return `audit:${organizationId}`;
}

/**
 * Every change writes an audit entry in its own transaction, so who follows the log hears of every change, whichever
 * process made it. A wake-up is only a hint; one poller reads the heads of the organizations that are followed.
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
    const news = await listKindsBetween(database.db, organizationId, { after, last: head });
    // Two reads may overlap; only the one that still stands where it began may tell and move on.
    if (entry.head !== after) return;
    entry.head = head;
    for (const listener of entry.listeners) listener(news);
  }

  // A database that does not answer is asked again at the next tick.
  function readQuietly(organizationId: string): void {
    read(organizationId).catch(() => undefined);
  }

  function leave(organizationId: string, entry: Followed, listener: (news: AuditNews[]) => void): void {
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
    const entry = { head, listeners: new Set<(news: AuditNews[]) => void>(), unlisten };
    followed.set(organizationId, entry);
    timer ??= setInterval(() => {
      for (const id of followed.keys()) readQuietly(id);
    }, pollMs).unref();
    return entry;
  }

  return {
    async follow(organizationId, onNews) {
      const head = (await findHead(database.db, organizationId))?.log_id ?? 0;
      const entry = followed.get(organizationId) ?? begin(organizationId, head);
      const listener = (news: AuditNews[]) => onNews(news);
      entry.listeners.add(listener);
      return () => leave(organizationId, entry, listener);
    },
    stop,
  };
}
