import { createHash } from 'node:crypto';
import type { Scope } from '../../kit/http/index.ts';
import type { LogDetails, LogRow } from '../schema/log.ts';
import type { SentLog } from './read-logs.ts';
import { cut, toText, toTexts } from './to-spans.ts';

const TRACE_ID = /^(?!0+$)[0-9a-f]{32}$/;
const SPAN_ID = /^(?!0+$)[0-9a-f]{16}$/;
const NAME_LENGTH_MAX = 256;
const BODY_LENGTH_MAX = 8192;
const SEVERITY_MAX = 24;
const DAY_US = 24 * 60 * 60 * 1_000_000;
const NAMES = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'];
const NONE: ReadonlySet<string> = new Set();

/** A client's line as we store it; undefined where its time is outside of what is kept. */
export function toTakenLog(sent: SentLog, scope: Scope, nowUs: number, retentionUs: number): LogRow | undefined {
  const ns = sent.timeNs || sent.observedNs;
  const timeUs = ns === 0n ? nowUs : Number(ns / 1000n);
  if (timeUs < nowUs - retentionUs || timeUs > nowUs + DAY_US) return undefined;
  const severity = Number.isInteger(sent.severityNumber) ? Math.min(SEVERITY_MAX, Math.max(0, sent.severityNumber)) : 0;
  const row = {
    workspace_id: scope.workspace_id,
    time_us: timeUs,
    trace_id: TRACE_ID.test(sent.traceId) ? sent.traceId : '',
    span_id: SPAN_ID.test(sent.spanId) ? sent.spanId : '',
    organization_id: scope.organization_id,
    user_id: scope.user_id,
    severity_number: severity,
    severity_text: cut(sent.severityText, NAME_LENGTH_MAX) || nameOf(severity),
    service_name: cut(toText(sent.resource['service.name'] ?? ''), NAME_LENGTH_MAX),
    body: cut(toText(sent.body), BODY_LENGTH_MAX),
    event_name: cut(sent.eventName, NAME_LENGTH_MAX),
    details: detailsOf(sent),
  };
  // A retry of the exporter has the same id; the nanoseconds tell apart what has the same text.
  const log_id = createHash('sha256')
    .update(`${ns} ${JSON.stringify(row)}`)
    .digest('hex')
    .slice(0, 16);
  return { ...row, log_id };
}

function nameOf(severity: number): string {
  return severity === 0 ? '' : (NAMES[Math.floor((severity - 1) / 4)] ?? '');
}

function detailsOf(sent: SentLog): LogDetails {
  const details: LogDetails = {
    resource_attributes: toTexts(sent.resource, NONE),
    log_attributes: toTexts(sent.attributes, NONE),
  };
  if (sent.flags > 0 && Number.isInteger(sent.flags)) details.trace_flags = sent.flags % 256;
  if (sent.scopeName) details.scope_name = cut(sent.scopeName, NAME_LENGTH_MAX);
  if (sent.scopeVersion) details.scope_version = cut(sent.scopeVersion, NAME_LENGTH_MAX);
  if (sent.scopeSchemaUrl) details.scope_schema_url = cut(sent.scopeSchemaUrl, NAME_LENGTH_MAX);
  if (sent.resourceSchemaUrl) details.resource_schema_url = cut(sent.resourceSchemaUrl, NAME_LENGTH_MAX);
  if (Object.keys(sent.scopeAttributes).length > 0) details.scope_attributes = toTexts(sent.scopeAttributes, NONE);
  return details;
}
