import { setImmediate as nextTurn } from 'node:timers/promises';
import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import { ApiError, ValidationFailed } from '../../kit/http/index.ts';
import { prepareQuery } from '../../kit/jmespath/index.ts';
import { createTaskRunner, type RunningTask, type TaskRunner } from '../../kit/tasks/index.ts';
import { endDelivery, findDelivery } from '../store/deliveries.ts';
import type { DeliveryRow, TriggerEventRow, TriggerRow, WebhookRow } from '../store/tables.ts';
import { insertTriggerEvent, listEventsOfDelivery, listTriggersOf, updateTriggerEvent } from '../store/triggers.ts';
import { findWebhookById } from '../store/webhooks.ts';
import type { TriggerTarget, WebhookPorts } from './ports.ts';

export const DELIVERY_QUEUE = 'webhook-deliveries';
const CONCURRENCY = 8;
const TURNS = { perTenantMax: 6, perKeyMax: 2 };
const DETAIL_CHARACTERS_MAX = 1000;

type Situation = { delivery: DeliveryRow; webhook: WebhookRow; payload: unknown; signal: AbortSignal };

/** Starts what the triggers of a webhook ask for: each once per delivery, with what their creators may do now. */
export function createDeliveryRunner(ports: WebhookPorts): TaskRunner {
  const { database, authority, targets, now, log } = ports;
  const { db } = database;

  const targetOf = ({ action_type }: TriggerRow): TriggerTarget | undefined =>
    action_type === 'start_workflow' || action_type === 'start_agent_session' ? targets[action_type] : undefined;

  /** Undefined where the filter does not match, or the trigger was deleted. */
  async function submit({ delivery, payload }: Situation, trigger: TriggerRow): Promise<TriggerEventRow | undefined> {
    const outcome = applyFilter(trigger.filters, delivery, payload);
    if (outcome === false) return undefined;
    const { id: delivery_id, webhook_id: source_id, received_at, received_ms } = delivery;
    const isSubmitted = outcome === true;
    const event: TriggerEventRow = {
      event_id: uuidv7(now()),
      trigger_id: trigger.id,
      ...{ delivery_id, source_id, received_at, received_ms },
      status: isSubmitted ? 'SUBMITTED' : 'SUBMISSION_FAILED',
      submitted_at: isSubmitted ? isoMicros(now) : null,
      triggered_at: null,
      detail: isSubmitted ? null : outcome,
      path: null,
    };
    return (await database.transaction((tx) => insertTriggerEvent(tx, event))) ? event : undefined;
  }

  async function start({ delivery, webhook, payload, signal }: Situation, trigger: TriggerRow, event: TriggerEventRow) {
    const target = targetOf(trigger);
    if (!target) throw new Error(`A trigger has the action '${trigger.action_type}'.`);
    const { key_id, creator_id: user_id, workspace_id, primitive_id } = trigger;
    const scope = await authority.scopeOf({ key_id, user_id, workspace_id }, target.permission);
    // The id of the event is the same at each attempt.
    const call = { scope, signal, requestId: `trigger-${event.event_id}`, idempotencyKey: `trigger-${event.event_id}` };
    const path = await target.start(call, primitive_id, {
      event_id: delivery.id,
      event_type: delivery.event_type,
      provider: webhook.provider,
      received_at: delivery.received_at,
      payload,
    });
    await updateTriggerEvent(db, event.event_id, {
      status: 'TRIGGERED',
      triggered_at: isoMicros(now),
      detail: null,
      path,
    });
  }

  /** Why it must be tried again; undefined when the event has its outcome. */
  async function trigger(situation: Situation, row: TriggerRow, event: TriggerEventRow, isLast: boolean) {
    try {
      await start(situation, row, event);
      return undefined;
    } catch (error) {
      situation.signal.throwIfAborted();
      const detail = describe(error);
      if (detail === undefined) log.warn({ trigger_id: row.id, err: error }, 'a trigger could not start its target');
      if (!isRefusal(error) && !isLast) {
        await updateTriggerEvent(db, event.event_id, { detail: detail ?? UNEXPECTED });
        return error;
      }
      await updateTriggerEvent(db, event.event_id, { status: 'TRIGGER_FAILED', detail: detail ?? UNEXPECTED });
      return undefined;
    }
  }

  async function run(task: RunningTask, signal: AbortSignal): Promise<void> {
    const { delivery_id } = task.payload as { delivery_id: string };
    const delivery = await findDelivery(db, delivery_id);
    const webhook = delivery && (await findWebhookById(db, delivery.webhook_id));
    if (!webhook || delivery.payload === null) return;
    const situation = { delivery, webhook, payload: JSON.parse(delivery.payload) as unknown, signal };
    const isLast = task.attempt >= task.attempts_max;
    const known = new Map((await listEventsOfDelivery(db, delivery.id)).map((event) => [event.trigger_id, event]));
    let again: unknown;
    let submitted = 0;
    const triggers = await listTriggersOf(db, webhook.id, delivery.received_ms);
    for (const row of triggers) {
      // A filter may take a while on a large delivery.
      await nextTurn();
      signal.throwIfAborted();
      const event = known.get(row.id) ?? (await submit(situation, row));
      if (event) submitted += 1;
      if (event?.status === 'SUBMITTED') again = (await trigger(situation, row, event, isLast)) ?? again;
    }
    if (again) throw again;
    const detail = `${submitted} of ${triggers.length} ${triggers.length === 1 ? 'trigger' : 'triggers'} matched.`;
    await database.transaction(async (tx) => {
      await task.complete(tx);
      await endDelivery(tx, delivery.id, detail);
    });
  }

  return createTaskRunner({
    database,
    now,
    log,
    queues: {
      [DELIVERY_QUEUE]: {
        concurrency: CONCURRENCY,
        turns: TURNS,
        handler: (task, { signal }) => run(task, signal),
      },
    },
  });
}

const UNEXPECTED = 'The server could not start it. The operator finds the cause in the log.';

/** The fields of the payload and `event_type`, as filters see them. True: it matches; a text: why it cannot be told. */
function applyFilter(filters: string | null, { event_type }: DeliveryRow, payload: unknown): boolean | string {
  if (filters === null) return true;
  const query = prepareQuery(filters);
  if ('invalid' in query) return `The filter cannot be used: ${query.invalid}.`;
  const isFields = typeof payload === 'object' && payload !== null && !Array.isArray(payload);
  const outcome = query.matches({ ...(isFields ? payload : { body: payload }), event_type });
  if (outcome === 'too_expensive') return 'The filter takes too long on this delivery.';
  return typeof outcome === 'object' ? `The filter failed: ${outcome.failed}.` : outcome;
}

/** What will not be different next time. */
function isRefusal(error: unknown): boolean {
  if (error instanceof ValidationFailed) return true;
  return error instanceof ApiError && error.status < 500 && error.status !== 429;
}

function describe(error: unknown): string | undefined {
  if (error instanceof ApiError) return error.message.slice(0, DETAIL_CHARACTERS_MAX);
  if (!(error instanceof ValidationFailed)) return undefined;
  const items = error.items.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`);
  return `The target does not take this delivery. ${items.join('; ')}`.slice(0, DETAIL_CHARACTERS_MAX);
}
