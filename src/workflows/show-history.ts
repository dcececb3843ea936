import type { HistoryEvent, Json } from '../../packages/workflows/src/protocol.ts';

/** Attributes with payloads, which Temporal stores as bytes. */
const PAYLOADS: ReadonlySet<string> = new Set(['input', 'result', 'details', 'last_heartbeat']);

/** 64-bit integers are strings in protobuf JSON. */
const COUNTS = /(^|_)(event_id|attempt)$/;

/** A history event as Temporal's protobuf JSON: camelCase, 64-bit integers as strings, payloads in base64 or decoded. */
export function showHistoryEvent(event: HistoryEvent, decode: boolean): Record<string, unknown> {
  const attributes: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(event.attributes))
    attributes[camelCase(key)] = PAYLOADS.has(key) && !decode ? encodePayload(value) : showValue(key, value);
  return {
    eventId: String(event.id),
    eventTime: new Date(event.time_ms).toISOString(),
    eventType: `EVENT_TYPE_${event.type}`,
    [`${camelCase(event.type.toLowerCase())}EventAttributes`]: attributes,
  };
}

function encodePayload(value: Json): unknown {
  const data = Buffer.from(JSON.stringify(value)).toString('base64');
  return { payloads: [{ metadata: { encoding: Buffer.from('json/plain').toString('base64') }, data }] };
}

function showValue(key: string, value: Json): unknown {
  return typeof value === 'number' && COUNTS.test(key) ? String(value) : value;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
