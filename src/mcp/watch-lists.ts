import type { IncomingHttpHeaders } from 'node:http';
import type { AuditFollower, AuditLogEventType } from '../audit/index.ts';
import type { Signal } from '../kit/db/index.ts';
import type { Authenticate, Credentials, Scope } from '../kit/http/index.ts';
import type { ChangedList, Watcher, WatchLists } from './transport/watcher.ts';

/** The list that an event of the audit log changes, by the prefix of its type. */
const listOf: [prefix: string, list: ChangedList][] = [
  ['skill.', 'resources'],
  ['prompt.', 'prompts'],
  ['library.', 'resources'],
];

type Watched = Watcher & { scope: Scope; credentials: Credentials };

/**
 * Changes of skills and prompts come from the audit log, which every server writes. A change of keys may change the
 * permissions of a stream, so each open stream is authenticated again.
 */
export function createListWatch(options: {
  follower: AuditFollower;
  keysSignal: Signal;
  authenticate: Authenticate;
}): WatchLists {
  const { follower, keysSignal, authenticate } = options;
  const open = new Set<Watched>();

  async function authenticateAgain(watched: Watched): Promise<void> {
    const scope = await authenticate(watched.credentials, 'standard');
    // The HTTP server ends the stream of a revoked key.
    if (!scope || !open.has(watched)) return;
    const isSame = isSameSet(scope.permissions, watched.scope.permissions);
    watched.scope = scope;
    if (!isSame) for (const list of ['tools', 'prompts', 'resources'] as const) watched.onChange(list);
  }

  keysSignal.onChange(() => {
    // After an outage of the database the signal is raised again.
    for (const watched of open) authenticateAgain(watched).catch(() => undefined);
  });

  return async ({ scope, headers }, { onChange }) => {
    const watched: Watched = { scope, credentials: credentialsOf(headers), onChange };
    const unfollow = await follower.follow(scope.organization_id, (entries) => {
      const lists = entries
        .filter(({ workspace_id }) => workspace_id === scope.workspace_id)
        .map(({ event_type }) => changedBy(event_type));
      for (const list of new Set(lists)) if (list) onChange(list);
    });
    open.add(watched);
    return () => {
      open.delete(watched);
      unfollow();
    };
  };
}

/** The credentials that opened the stream; a read needs no others. */
function credentialsOf(headers: IncomingHttpHeaders): Credentials {
  const { authorization, cookie, host = '' } = headers;
  const apiKey = typeof headers['x-api-key'] === 'string' ? headers['x-api-key'] : undefined;
  if (authorization !== undefined || apiKey !== undefined || cookie === undefined) return { authorization, apiKey };
  return { authorization, apiKey, browser: { method: 'GET', headers, host } };
}

function changedBy(event: AuditLogEventType): ChangedList | undefined {
  return listOf.find(([prefix]) => event.startsWith(prefix))?.[1];
}

function isSameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every((item) => b.has(item));
}
