export { meteringErrors } from './errors.ts';
export { fromMicros, toLimits, toMicros, toTotals } from './money.ts';
export {
  type LimitDefaults,
  type LimitScope,
  type LimitScopeKind,
  type Limits,
  limitScopeKinds,
  type ModelLimits,
  type OwnLimits,
  type Payer,
  type Price,
  type Prices,
  type Usage,
  type UsageDimension,
  UsageInfo,
  type UsageKind,
  type UsageQuery,
  type UsageRow,
  type UsageTotals,
  usageDimensions,
  usageKinds,
} from './schema.ts';
export type { Reservation, ReserveRequest } from './service/admission.ts';
export {
  describeLimits,
  keyScope,
  listLimitScopes,
  type NamedScope,
  organizationScope,
  type ScopeLimits,
  workspaceScope,
} from './service/describe-limits.ts';
export type { LimitsChange, LimitsRemoval } from './service/limits.ts';
export {
  type CallContent,
  type CallTrace,
  type ContentMessage,
  type ContentPart,
  createMeter,
  type Meter,
  type RecordSpan,
  type UsageRecord,
  type WorkSpan,
} from './service/meter.ts';
export { createMetering, type Metering, type MeteringOptions } from './service/metering-service.ts';
export { asPrivate, type Call, type Run, type RunRequest, startRun } from './service/run-request.ts';
export type { Storage } from './service/storage.ts';
export { placeSpan, placeWithin, type SpanPlace, toSpanId, toTraceId, traceWithin } from './span-place.ts';
