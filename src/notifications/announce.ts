import { type Clock, isoMicros } from '../kit/base/clock.ts';
import { hexId } from '../kit/base/ids.ts';
import type { Database, Signal } from '../kit/db/index.ts';
import type { Announce, Announcement } from '../kit/events/index.ts';
import { createTasks } from '../kit/tasks/index.ts';
import { type Listening, listListening } from './store/endpoints.ts';

export const NEWS_QUEUE = 'notification-news';

export type News = Announcement & { id: string; timestamp: string };

export type Announcer = {
  announce: Announce;
  /** Organizations that listen to one of these. */
  listHearing(types: readonly string[]): Promise<string[]>;
};

/**
 * Enqueues what happened, if somebody listens. What is listened to is in memory where the signal is followed; the
 * operator's commands, which follow none, ask the database.
 */
export function createAnnouncer(ports: { database: Database; signal: Signal; now: Clock }): Announcer {
  const { database, signal, now } = ports;
  const tasks = createTasks({ database, now });
  let known: Map<string, ReadonlySet<string> | 'all'> | undefined;
  let changes = 0;

  // The next reader loads it again.
  signal.onChange(() => {
    known = undefined;
    changes++;
  });

  async function listening(db = database.db): Promise<Map<string, ReadonlySet<string> | 'all'>> {
    if (known && signal.isFresh()) return known;
    const [seen, isFollowed] = [changes, signal.isFresh()];
    const read = byOrganization(await listListening(db));
    if (isFollowed && seen === changes) known = read;
    return read;
  }

  const hears = (wanted: ReadonlySet<string> | 'all' | undefined, types: readonly string[]) =>
    wanted === 'all' || (wanted !== undefined && types.some((type) => wanted.has(type)));

  return {
    async announce(tx, news) {
      const heard = known && signal.isFresh() ? known : await listening(tx);
      if (!hears(heard.get(news.organization_id), [news.type])) return;
      const payload: News = { ...news, id: hexId('msg_'), timestamp: isoMicros(now) };
      const tenant = { organization: news.organization_id, key: news.workspace_id ?? news.organization_id };
      await tasks.enqueue(tx, { queue: NEWS_QUEUE, payload, tenant, attemptsMax: 100 });
    },
    async listHearing(types) {
      return [...(await listening())].filter(([, wanted]) => hears(wanted, types)).map(([id]) => id);
    },
  };
}

function byOrganization(rows: Listening[]): Map<string, ReadonlySet<string> | 'all'> {
  const found = new Map<string, Set<string> | 'all'>();
  for (const { organization_id, event_types } of rows) {
    const before = found.get(organization_id);
    if (before === 'all' || event_types === null) found.set(organization_id, 'all');
    else found.set(organization_id, new Set([...(before ?? []), ...event_types]));
  }
  return found;
}
