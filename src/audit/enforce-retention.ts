import type { Clock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { AuditService } from './service.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const RETENTION = { type: 'OTHER', metadata: { name: 'retention' } } as const;

/** Deletes entries older than this many days, and logs each organization whose log is broken and was left alone. */
export async function enforceRetention(
  { audit, now, log }: { audit: AuditService; now: Clock; log: Logger },
  days: number,
): Promise<void> {
  const before = new Date(now() - days * DAY_MS).toISOString();
  const { broken } = await audit.prune({ before, actor: RETENTION });
  for (const { organization_id, log_id, problem } of broken)
    log.error({ organization_id, log_id, problem }, 'The audit log is broken; none of its entries were deleted.');
}
