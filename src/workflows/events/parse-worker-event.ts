import type { Json } from '../../../packages/workflows/src/protocol.ts';
import type { WorkerEvent } from '../schema/worker-events.ts';

/** Internal activities of the SDK. */
const INTERNAL_ACTIVITY = '__internal__';
const NANOSECONDS_FROM = 1e17;

/** Some workers send nanoseconds, which a JSON number cannot hold exactly. */
export function toMicros(timestamp: number): number {
  return timestamp >= NANOSECONDS_FROM ? Math.floor(timestamp / 1000) : Math.floor(timestamp);
}

/** Events of executions are published by the engine, in the right order. */
export function isOfExecution({ event_type }: WorkerEvent): boolean {
  return event_type.startsWith('WORKFLOW_EXECUTION_');
}

export function isInternalActivity(name: string): boolean {
  return name.startsWith(INTERNAL_ACTIVITY);
}

export function isInternal({ attributes }: WorkerEvent): boolean {
  return 'activity_name' in attributes && isInternalActivity(attributes.activity_name);
}

/** The steps that the events end, or a try of them, and do not start. */
export function stepsEndedBy(events: readonly WorkerEvent[]): string[] {
  const started = new Set<string>();
  const ended = new Set<string>();
  for (const { event_type, attributes } of events)
    if (event_type === 'ACTIVITY_TASK_STARTED') started.add(attributes.task_id);
    else if ('activity_name' in attributes && !started.has(attributes.task_id)) ended.add(attributes.task_id);
  return [...ended];
}

/**
 * The deduplication key. A retried task sends the same events under new ids, so the task identifies them; repeatable
 * events are identified by their own id.
 */
export function keyOf({ event_id, event_type, attributes }: WorkerEvent): string {
  switch (event_type) {
    case 'CUSTOM_TASK_IN_PROGRESS':
      return `event ${event_id}`;
    case 'ACTIVITY_TASK_RETRYING':
      return `${event_type} ${attributes.task_id} ${attributes.attempt}`;
    default:
      return `${event_type} ${'task_id' in attributes ? attributes.task_id : attributes.custom_task_id}`;
  }
}

/** Public attributes: defaults are filled in, and a failure is its message. */
export function attributesOf({ attributes }: WorkerEvent): Record<string, Json> {
  const shown: Record<string, unknown> = { ...attributes };
  for (const name of ['input', 'result', 'payload']) {
    const payload = shown[name] as { value?: unknown; encoding_options?: unknown } | undefined;
    if (payload === undefined) continue;
    const { encoding_options, ...plain } = payload;
    shown[name] = { ...plain, value: payload.value ?? null, ...(encoding_options ? { encoding_options } : {}) };
  }
  if ('failure' in attributes) shown.failure = { message: attributes.failure.message };
  return shown as Record<string, Json>;
}
