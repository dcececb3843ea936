import type { AuditEntry, AuditService } from '../audit/index.ts';
import type { Clock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import type { HttpObserver } from '../kit/http/index.ts';
import { callerOf, keyValueOf, type Scope, type TenantService } from '../tenants/index.ts';

const REFUSALS = new Set([401, 403, 409]);
/** The same refusal of the same key is recorded once per minute, so that a loop cannot fill the log. */
const QUIET_MS = 60_000;
const REMEMBERED_MAX = 10_000;

/** Refusals are written in batches; those beyond the maximum are dropped. */
const GATHER_MS = 100;
const WAITING_MAX = 1000;

/** `credential` is a key value, or the scope of a session. */
type Refusal = { credential: string | Scope; address: string; requestId: string; operation: string; status: number };

type Refused = Pick<AuditEntry, 'organization_id' | 'workspace_id' | 'actor'> & { id: string };

/**
 * Records refused calls of the administrative API in the audit log of the organization whose key or session was used, even
 * one of the wrong kind or an expired one. Unknown keys belong to no organization and appear only in the metrics.
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

  function isFirst(what: string): boolean {
    const seenAt = recent.get(what) ?? Number.NEGATIVE_INFINITY;
    if (now() - seenAt < QUIET_MS) return false;
    if (recent.size >= REMEMBERED_MAX) recent.clear();
    recent.set(what, now());
    return true;
  }

  async function identify(credential: Refusal['credential']): Promise<Refused | undefined> {
    if (typeof credential !== 'string') return { id: credential.key_id, workspace_id: null, ...callerOf(credential) };
    const key = await tenants.keys.identify(credential);
    if (!key) return undefined;
    const { id, organization_id, workspace_id, user_id } = key;
    const metadata = user_id === null ? { admin_api_key_id: id } : { user_uuid: user_id, api_key_id: id };
    return { id, organization_id, workspace_id, actor: { type: 'API_KEY', metadata } };
  }

  async function describe({
    credential,
    address,
    requestId,
    operation,
    status,
  }: Refusal): Promise<AuditEntry | undefined> {
    const refused = await identify(credential);
    if (!refused || !isFirst(`${refused.id} ${operation} ${status}`)) return undefined;
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
      .catch((error: unknown) => log.error({ err: error }, 'Refused calls could not be written to the audit log.'));
    return writing;
  }

  return {
    observer: {
      onResponse(request, { statusCode }, routePath) {
        if (!REFUSALS.has(statusCode) || !routePath.startsWith('/v1/admin/') || waiting.length >= WAITING_MAX) return;
        const { authorization, 'x-api-key': apiKey } = request.headers;
        const value = keyValueOf({ authorization, apiKey: typeof apiKey === 'string' ? apiKey : undefined });
        const credential = value ?? (request.scope?.session_id === undefined ? undefined : request.scope);
        if (credential === undefined) return;
        const operation = `${request.method} ${routePath}`;
        waiting.push({ credential, address: request.ip, requestId: request.id, operation, status: statusCode });
        timer ??= setTimeout(() => void flush(), GATHER_MS).unref();
      },
    },
    stop: flush,
  };
}
