import type { AuditActor, AuditService } from '../audit/index.ts';
import type { Clock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import type { HttpObserver } from '../kit/http/index.ts';
import { keyValueOf, type TenantService } from '../tenants/index.ts';

const REFUSALS = new Set([401, 403, 409]);
/** A program that asks in a loop fills no log: the same refusal of the same key is worth one entry a minute. */
const QUIET_MS = 60_000;
const REMEMBERED_MAX = 10_000;

type Request = Parameters<HttpObserver['onResponse']>[0];

/**
 * Writes refused calls of the administrative API into the log of the organization whose key was used, also when it is of
 * the wrong kind or has ended. A key that nobody knows belongs to no organization; of those only the metrics tell.
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
  const writing = new Set<Promise<void>>();

  function isNews(what: string): boolean {
    const seenAt = recent.get(what) ?? Number.NEGATIVE_INFINITY;
    if (now() - seenAt < QUIET_MS) return false;
    if (recent.size >= REMEMBERED_MAX) recent.clear();
    recent.set(what, now());
    return true;
  }

  async function write(request: Request, operation: string, status: number): Promise<void> {
    const apiKey = request.headers['x-api-key'];
    const value = keyValueOf({
      authorization: request.headers.authorization,
      apiKey: typeof apiKey === 'string' ? apiKey : undefined,
    });
    const key = value === undefined ? undefined : await tenants.keys.identify(value);
    if (!key || !isNews(`${key.id} ${operation} ${status}`)) return;
    const { organization_id, workspace_id, user_id } = key;
    const owner = user_id === null ? { admin_api_key_id: key.id } : { user_uuid: user_id, api_key_id: key.id };
    const actor: AuditActor = { type: 'API_KEY', metadata: { ...owner, ip_address: request.ip } };
    await database.transaction((tx) =>
      audit.record(tx, {
        organization_id,
        workspace_id,
        actor,
        event_type: 'admin_api.refused',
        event_metadata: { status: String(status), request_id: request.id },
        target_type: 'ADMIN_API',
        target_metadata: { operation },
      }),
    );
  }

  return {
    observer: {
      onResponse(request, { statusCode }, routePath) {
        if (!REFUSALS.has(statusCode) || !routePath.startsWith('/v1/admin/')) return;
        const written = write(request, `${request.method} ${routePath}`, statusCode).catch((error: unknown) =>
          log.error({ err: error, requestId: request.id }, 'A refused call could not be written into the audit log.'),
        );
        writing.add(written);
        written.finally(() => writing.delete(written));
      },
    },
    stop: async () => void (await Promise.all(writing)),
  };
}
