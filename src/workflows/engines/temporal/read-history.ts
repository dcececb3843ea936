import { tsToMs } from '@temporalio/common/lib/time.js';
import proto, { type temporal } from '@temporalio/proto';
import type { HistoryEvent, HistoryEventType, Json } from '../../../../packages/workflows/src/protocol.ts';
import { fromPayload, fromPayloads, toFailure } from './convert.ts';

type Event = temporal.api.history.v1.IHistoryEvent;
type Attributes = Record<string, unknown>;

/** Converts an event to the format of our histories. Attributes that only Temporal has are kept. */
export function readHistoryEvent(event: Event): HistoryEvent {
  const name = proto.temporal.api.enums.v1.EventType[event.eventType ?? 0] ?? '';
  const type = name.replace(/^EVENT_TYPE_/, '') as HistoryEventType;
  const found = Object.entries(event).find(([key, value]) => key.endsWith('EventAttributes') && value);
  const attributes = Object.entries((found?.[1] ?? {}) as Attributes).flatMap(([key, value]) =>
    readAttribute(type, key, value),
  );
  return {
    id: Number(event.eventId),
    type,
    time_ms: tsToMs(event.eventTime),
    attributes: Object.fromEntries(attributes),
  };
}

function readAttribute(type: HistoryEventType, key: string, value: unknown): [string, Json][] {
  if (value === null || value === undefined || value === '') return [];
  switch (key) {
    case 'input': {
      const values = fromPayloads(value as never);
      // The first argument of a step is internal.
      return [['input', type === 'ACTIVITY_TASK_SCHEDULED' ? values.slice(1) : (values[0] ?? null)]];
    }
    case 'result':
      return [['result', fromPayloads(value as never)[0] ?? null]];
    case 'failure':
    case 'lastFailure':
      return [[snakeCase(key), toFailure(value as never) as Json]];
    case 'workflowType':
      return [['workflow_name', nameOf(value)]];
    case 'activityType':
      return [['activity_name', nameOf(value)]];
    case 'workflowExecution': {
      const { workflowId, runId } = value as { workflowId?: string; runId?: string };
      return [
        ['execution_id', workflowId ?? ''],
        ['run_id', runId ?? ''],
      ];
    }
    default:
      return [[snakeCase(key), plain(value)]];
  }
}

const nameOf = (value: unknown): string => (value as { name?: string }).name ?? '';

/** Any other protobuf value as JSON: integers become numbers, bytes become base64. */
function plain(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'object') return value as Json;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(plain);
  if (isLong(value)) return Number(value);
  const message = value as Record<string, unknown>;
  if ('metadata' in message && 'data' in message) return fromPayload(message);
  const fields = Object.entries(message).filter(([, field]) => field !== null && field !== undefined && field !== '');
  return Object.fromEntries(fields.map(([key, field]) => [snakeCase(key), plain(field)]));
}

const isLong = (value: object): boolean => 'low' in value && 'high' in value && 'unsigned' in value;

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
