import type { AuditEntry, AuditService } from '../audit/index.ts';
import type { Clock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import type { HttpObserver } from '../kit/http/index.ts';
import { actorOf, keyValueOf, type Scope, type TenantService } from '../tenants/index.ts';

const REFUSALS = new Set([401, 403, 409]);
/** A program that asks in a loop fills no log: the same refusal of the same key is worth one entry a minute. */
const QUIET_MS = 60_000;
const REMEMBERED_MAX = 10_000;

/** Many refusals share one transaction; beyond this many at once, more of them tell nothing new. */
const GATHER_MS = 100;
const WAITING_MAX = 1000;

type Refusal = { who: string | Scope; address: string; requestId: string; operation: string; status: number };

type Refused = Pick<AuditEntry, 'organization_id' | 'workspace_id' | 'actor'> & { id: string };

/**
 * Writes refused calls of the administrative API into the log of the organization whose key or session was used, also when it
 * is of the wrong kind or has ended. A key that nobody knows belongs to no organization; of those only the metrics tell.
 */
export function createRefusalLog(ports: {
  database: Database;
  audit: AuditService;
  tenants: TenantService;
  now: Clock;
  log: Logger;
}): { observer: HttpObserver; stop(): Promise<void> } {
  const { database, audit, tenants, now, log } = ports;
  const recent = new Map<string, number>();
  let waiting: Refusal[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function isNews(what: string): boolean {
    const seenAt = recent.get(what) ?? Number.NEGATIVE_INFINITY;
    if (now() - seenAt < QUIET_MS) return false;
    if (recent.size >= REMEMBERED_MAX) recent.clear();
    recent.set(what, now());
    return true;
  }

  /** Whoever a key belongs to, also when it has ended, or who was signed in. */
  async function identify(who: Refusal['who']): Promise<Refused | undefined> {
    if (typeof who !== 'string')
      return { id: who.key_id, organization_id: who.organization_id, workspace_id: null, actor: actorOf(who) };
    const key = await tenants.keys.identify(who);
    if (!key) return undefined;
    const { id, organization_id, workspace_id, user_id } = key;
    const metadata = user_id === null ? { admin_api_key_id: id } : { user_uuid: user_id, api_key_id: id };
    return { id, organization_id, workspace_id, actor: { type: 'API_KEY', metadata } };
  }

  async function describe({ who, address, requestId, operation, status }: Refusal): Promise<AuditEntry | undefined> {
    const refused = await identify(who);
    if (!refused || !isNews(`${refused.id} ${operation} ${status}`)) return undefined;
    const { organization_id, workspace_id, actor } = refused;
    return {
      organization_id,
      workspace_id,
      actor: { ...actor, metadata: { ...actor.metadata, ip_address: address } },
      event_type: 'admin_api.refused',
      event_metadata: { status: String(status), request_id: requestId },
      target_type: 'ADMIN_API',
      target_metadata: { operation },
    };
  }

  async function write(refusals: Refusal[]): Promise<void> {
    const entries: AuditEntry[] = [];
    for (const refusal of refusals) {
      const entry = await describe(refusal);
      if (entry) entries.push(entry);
    }
    if (entries.length === 0) return;
    await database.transaction(async (tx) => {
      for (const entry of entries) await audit.record(tx, entry);
    });
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const refusals = waiting;
    waiting = [];
    writing = writing
      .then(() => write(refusals))
      .catch((error: unknown) => log.error({ err: error }, 'Refused calls could not be written into the audit log.'));
    return writing;
  }

  return {
    observer: {
      onResponse(request, { statusCode }, routePath) {
        if (!REFUSALS.has(statusCode) || !routePath.startsWith('/v1/admin/') || waiting.length >= WAITING_MAX) return;
        const { authorization, 'x-api-key': apiKey } = request.headers;
        const value = keyValueOf({ authorization, apiKey: typeof apiKey === 'string' ? apiKey : undefined });
        const who = value ?? (request.scope?.session_id === undefined ? undefined : request.scope);
        if (who === undefined) return;
        const operation = `${request.method} ${routePath}`;
        waiting.push({ who, address: request.ip, requestId: request.id, operation, status: statusCode });
        timer ??= setTimeout(() => void flush(), GATHER_MS).unref();
      },
    },
    stop: flush,
  };
}
