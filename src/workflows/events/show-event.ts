import type { Json } from '../../../packages/workflows/src/protocol.ts';
import type { StoredEvent } from '../../kit/events/index.ts';
import type { Payloads } from '../payloads/port.ts';
import type { StreamEventSsePayload, WorkflowEvent } from '../schema/events.ts';
import { streamNameOf } from './filter-events.ts';

type Payload = { value: Json };

/** Attributes that hold what a workflow passed around. */
const PAYLOADS = ['input', 'result', 'payload'] as const;

/** The event with its payloads as the workflow knows them. */
export function unpackEvent(
  payloads: Payloads,
  workspaceId: string,
  event: WorkflowEvent,
): WorkflowEvent | Promise<WorkflowEvent> {
  const attributes = event.attributes as Record<string, Payload | undefined>;
  let changed: Promise<WorkflowEvent> | WorkflowEvent = event;
  for (const name of PAYLOADS) {
    const payload = attributes[name];
    if (payload === undefined) continue;
    const value = payloads.unpack(workspaceId, payload.value);
    if (value === payload.value) continue;
    const before = changed;
    changed = (async () => {
      const known = await before;
      return { ...known, attributes: { ...known.attributes, [name]: { ...payload, value: await value } } } as WorkflowEvent;
    })();
  }
  return changed;
}

/** Many read the same stream, and the pages they share hold the same objects: each is made into text once. */
const frames = new WeakMap<StoredEvent, string>();

/** The frame as it goes on the wire, the same bytes whenever it is asked for. */
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
