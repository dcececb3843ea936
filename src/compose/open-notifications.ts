import type { Config } from '../config/config.ts';
import { systemClock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { PageTokens } from '../kit/http/index.ts';
import { createOutbound, createPublicUrlCheck } from '../kit/outbound/index.ts';
import type { SecretBox } from '../kit/secrets/index.ts';
import type { Tasks } from '../kit/tasks/index.ts';
import { fromMicros, listLimitScopes, type Metering } from '../metering/index.ts';
import { createNotificationService, type NotificationService } from '../notifications/index.ts';
import type { Authority } from '../tenants/index.ts';
import type { Platform } from './open-platform.ts';

/** For the whole request: a receiver stores the message and answers at once. */
const SEND_TIMEOUT_MS = 10_000;
/** The answer is not read. */
const ANSWER_BYTES_MAX = 64 * 1024;

/** What happens here, sent to addresses that tenants name. */
export function openNotifications(
  { file }: Pick<Config, 'file'>,
  ports: {
    platform: Platform;
    metering: Metering;
    tasks: Tasks;
    authority: Authority;
    box: SecretBox;
    tokens: PageTokens;
    log: Logger;
  },
): { notifications: NotificationService; close(): Promise<void> } {
  const { platform, metering, ...rest } = ports;
  const { database, audit, tenants, announcer, notificationSignal: signal } = platform;
  const { allow } = file.outbound;
  const outbound = createOutbound({
    allow,
    timeoutMs: SEND_TIMEOUT_MS,
    bodyBytesMax: ANSWER_BYTES_MAX,
    redirectsMax: 0,
  });
  const notifications = createNotificationService({
    ...rest,
    ...{ database, audit, announcer, signal, outbound, now: systemClock },
    mayBePublic: createPublicUrlCheck(allow),
    async listBudgets(organizationId) {
      const month = new Date(systemClock()).toISOString().slice(0, 7);
      const budgets = [];
      for (const scope of await listLimitScopes(tenants, { id: organizationId, name: '' })) {
        const { monthly_budget_micros: micros } = await metering.getLimits(database.db, scope);
        if (micros === null) continue;
        const spent = fromMicros(await metering.spent(database.db, scope));
        const { kind, id, workspace_id } = scope;
        budgets.push({ kind, id, workspace_id, month, budget: fromMicros(micros), spent });
      }
      return budgets;
    },
  });
  return {
    notifications,
    async close() {
      await notifications.stop();
      await outbound.close();
    },
  };
}
