export type { Reservation, ReserveRequest } from './admission.ts';
export type { LimitsChange, LimitsRemoval } from './change-limits.ts';
export {
  describeLimits,
  keyScope,
  listLimitScopes,
  type NamedScope,
  organizationScope,
  type ScopeLimits,
  workspaceScope,
} from './describe-limits.ts';
export { createMeter, type Meter, type UsageRecord } from './meter.ts';
export { fromMicros, toLimits, toMicros, toTotals } from './money.ts';
export { type Call, type Run, startRun } from './run-request.ts';
export {
  type LimitDefaults,
  type LimitScope,
  type LimitScopeKind,
  type Limits,
  limitScopeKinds,
  type OwnLimits,
  type Payer,
  type Price,
  type Prices,
  type Usage,
  type UsageDimension,
  type UsageKind,
  type UsageQuery,
  type UsageRow,
  type UsageTotals,
  usageDimensions,
  usageKinds,
} from './schema.ts';
export { createMetering, type Metering, type MeteringOptions } from './service.ts';
export { UsageInfo } from './usage-info.ts';
