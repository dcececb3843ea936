export { type AuditChange, type AuditFollower, createAuditFollower } from './follow.ts';
export { ActorType, AuditLogEventType, type AuditLogFilters, AuditLogOut, TargetType } from './schema.ts';
export {
  type AuditActor,
  type AuditEntry,
  type AuditProgress,
  type AuditPruning,
  type AuditService,
  type AuditVerification,
  createAuditService,
  enforceRetention,
} from './service.ts';
export type { AuditHead, AuditLogRow } from './store.ts';
