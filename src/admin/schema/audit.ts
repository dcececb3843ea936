import { z } from 'zod';
import { ActorType, AuditLogEventType, AuditLogOut, TargetType } from '../../audit/index.ts';
import { queryInt, queryList } from '../../kit/http/index.ts';

export const AuditLogsQuery = z.strictObject({
  actor_type: queryList(ActorType).nullish(),
  event_type: queryList(AuditLogEventType).nullish(),
  target_type: queryList(TargetType).nullish(),
  actor_user_uuid: z.string().max(255).nullish(),
  sort: z.enum(['ascending', 'descending']).default('descending'),
  after: z.iso.datetime({ offset: true, local: true }).nullish(),
  before: z.iso.datetime({ offset: true, local: true }).nullish(),
  limit: queryInt().min(0).max(1000).default(20),
});
export type AuditLogsQuery = z.infer<typeof AuditLogsQuery>;
export const AuditLogsOut = z.array(AuditLogOut);
