import type { Json } from '../../../packages/workflows/src/protocol.ts';
import type { StoredEvent } from '../../kit/events/index.ts';
import type { ApiError, SseEvent } from '../../kit/http/index.ts';
import type { Payloads } from '../payloads/port.ts';
import type { StreamEventSsePayload, WorkflowEvent } from '../schema/events.ts';
import { streamNameOf } from './filter-events.ts';

type Payload = { value: Json };

/** Attributes with payloads. */
const PAYLOADS = ['input', 'result', 'payload'] as const;

/** The event with its payloads unpacked. */
export async function unpackEvent(
  payloads: Payloads,
  workspaceId: string,
  event: WorkflowEvent,
): Promise<WorkflowEvent> {
  const attributes: Record<string, unknown> = { ...event.attributes };
  for (const name of PAYLOADS) {
    const payload = attributes[name] as Payload | undefined;
    if (payload === undefined) continue;
    attributes[name] = { ...payload, value: await unpackValue(payloads, workspaceId, payload.value) };
  }
  return { ...event, chain_run_id: chainOf(event), attributes } as WorkflowEvent;
}

/** Events of a root have no chain: it is their first run. */
function chainOf(event: WorkflowEvent): string | null {
  const isRoot = event.workflow_exec_id === event.root_workflow_exec_id;
  return event.chain_run_id ?? (isRoot ? event.first_execution_run_id : null);
}

/** The arguments of a step are packed separately. */
async function unpackValue(payloads: Payloads, workspaceId: string, value: Json): Promise<Json> {
  if (!Array.isArray(value)) return payloads.unpack(workspaceId, value);
  const items: Json[] = [];
  for (const item of value) items.push(await payloads.unpack(workspaceId, item));
  return items;
}

/** Readers of a stream share event objects, so each is serialized once. */
const frames = new WeakMap<StoredEvent, string>();

/** The encoded frame, cached per event. */
export async function frameOf(payloads: Payloads, workspaceId: string, stored: StoredEvent): Promise<string> {
  const known = frames.get(stored);
  if (known !== undefined) return known;
  const data = await unpackEvent(payloads, workspaceId, stored.data as WorkflowEvent);
  const frame = `id: ${stored.seq}\ndata: ${JSON.stringify(payloadOf(workspaceId, stored.seq, data))}\n\n`;
  frames.set(stored, frame);
  return frame;
}

function payloadOf(namespace: string, broker_sequence: number, data: WorkflowEvent): StreamEventSsePayload {
  return {
    stream: streamNameOf(data),
    timestamp: isoOf(data.event_timestamp),
    data,
    workflow_context: {
      namespace,
      workflow_name: data.workflow_name,
      workflow_exec_id: data.workflow_exec_id,
      parent_workflow_exec_id: data.parent_workflow_exec_id,
      root_workflow_exec_id: data.root_workflow_exec_id,
    },
    metadata: {},
    broker_sequence,
  };
}

function isoOf(micros: number): string {
  const millis = Math.floor(micros / 1000);
  return `${new Date(millis).toISOString().slice(0, -1)}${String(micros % 1000).padStart(3, '0')}Z`;
}

/** The last event of a stream that ends early. */
export function toErrorEvent({ code, message }: ApiError): SseEvent {
  return { event: 'error', data: { error: code, reason: message } };
}
