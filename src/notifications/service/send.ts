import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import type { Tx } from '../../kit/db/index.ts';
import { OutboundError } from '../../kit/outbound/index.ts';
import { createTaskRunner, type RunningTask, type TaskRunner } from '../../kit/tasks/index.ts';
import { NEWS_QUEUE, type News } from '../announce.ts';
import { parseRetryAfter, retryWaitMs } from '../plan-retry.ts';
import { openSecrets } from '../seal-secrets.ts';
import { signMessage } from '../sign-message.ts';
import { countPending, findDelivery, insertDelivery, moveDelivery } from '../store/deliveries.ts';
import { disableEndpoint, findEndpoint, listEndpointsFor, updateEndpoint } from '../store/endpoints.ts';
import type { DeliveryRow, EndpointRow } from '../store/tables.ts';
import type { NotificationPorts } from './ports.ts';

const SEND_QUEUE = 'notification-deliveries';
const NEWS_CONCURRENCY = 2;
const CONCURRENCY = 16;
/** A slow receiver holds two places at most, and an organization a quarter of them. */
const TURNS = { perTenantMax: 4, perKeyMax: 2 };
const LEASE_MS = 60_000;
const ERROR_CHARACTERS_MAX = 500;
/** The queue's own attempts are for failures of this server; those of receivers are planned here. */
const ATTEMPTS_MAX = 1000;
const PENDING_MAX = 10_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const GONE = 410;

type Outcome = {
  status: number | null;
  error: string | null;
  /** The receiver asks for no attempt before that. */
  retryAfterMs?: number | undefined;
};

export type Sender = TaskRunner & {
  /** Stores a message for an endpoint and enqueues it; undefined where it was there, or too many wait. */
  add(tx: Tx, endpoint: EndpointRow, message: News): Promise<DeliveryRow | undefined>;
  /** Enqueues an attempt. */
  enqueue(tx: Tx, delivery: DeliveryRow, runAtMs?: number): Promise<void>;
};

export function createSender(ports: NotificationPorts): Sender {
  const { database, audit, tasks, authority, signal: changes, box, outbound, now, log } = ports;
  const { db } = database;

  async function enqueue(tx: Tx, { id, organization_id, endpoint_id }: DeliveryRow, runAtMs = now()): Promise<void> {
    await tasks.enqueue(tx, {
      queue: SEND_QUEUE,
      payload: { delivery_id: id },
      tenant: { organization: organization_id, key: endpoint_id },
      attemptsMax: ATTEMPTS_MAX,
      runAtMs,
    });
  }

  async function add(tx: Tx, { id, organization_id }: EndpointRow, message: News): Promise<DeliveryRow | undefined> {
    const { type, timestamp, data, workspace_id } = message;
    const isFull = (await countPending(tx, id, PENDING_MAX)) >= PENDING_MAX;
    const row: DeliveryRow = {
      id: uuidv7(now()),
      endpoint_id: id,
      organization_id,
      message_id: message.id,
      event_type: type,
      payload: JSON.stringify({ type, timestamp, data: { workspace_id, ...data } }),
      status: isFull ? 'failed' : 'pending',
      attempts: 0,
      response_status: null,
      error: isFull ? 'Too many deliveries of the endpoint wait.' : null,
      next_attempt_at: null,
      created_at: isoMicros(now),
      created_ms: now(),
      ended_at: isFull ? isoMicros(now) : null,
    };
    if (!(await insertDelivery(tx, row)) || isFull) return undefined;
    await enqueue(tx, row);
    return row;
  }

  async function spread(task: RunningTask): Promise<void> {
    const news = task.payload as News;
    await database.transaction(async (tx) => {
      await task.complete(tx);
      for (const endpoint of await listEndpointsFor(tx, news.organization_id, news.workspace_id))
        if (endpoint.event_types === null || (endpoint.event_types as string[]).includes(news.type))
          await add(tx, endpoint, news);
    });
  }

  async function post(endpoint: EndpointRow, delivery: DeliveryRow, signal: AbortSignal): Promise<Outcome> {
    const timestampSeconds = Math.floor(now() / 1000);
    const { payload: body, message_id } = delivery;
    const headers = signMessage(openSecrets(box, endpoint, now()), { id: message_id, timestampSeconds, body });
    try {
      const response = await outbound.fetch(endpoint.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'tramontane-notifications', ...headers },
        body,
        signal,
        redirect: 'manual',
      });
      response.discard();
      const retryAfterMs = parseRetryAfter(response.headers['retry-after'], now());
      return { status: response.status, error: explainStatus(response.status), retryAfterMs };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof OutboundError)) throw error;
      return { status: null, error: error.message.slice(0, ERROR_CHARACTERS_MAX) };
    }
  }

  async function disable(tx: Tx, endpoint: EndpointRow, reason: string): Promise<void> {
    const { id, organization_id, workspace_id } = endpoint;
    if (!(await disableEndpoint(tx, id, reason, isoMicros(now)))) return;
    changes.raise(tx);
    log.warn({ endpoint_id: id, reason }, 'a notification endpoint was disabled');
    audit.record(tx, {
      ...{ organization_id, workspace_id, actor: { type: 'OTHER', metadata: { name: 'platform' } } },
      ...{ event_type: 'notification_endpoint.disable', event_metadata: { reason } },
      ...{ target_type: 'NOTIFICATION_ENDPOINT', target_metadata: { id } },
    });
  }

  /** Stores the outcome of an attempt with what follows from it. */
  async function settle(task: RunningTask, endpoint: EndpointRow, delivery: DeliveryRow, outcome: Outcome) {
    const attempts = delivery.attempts + 1;
    const isOver = outcome.error === null || outcome.status === GONE;
    const waitMs = isOver ? undefined : retryWaitMs(attempts, { askedMs: outcome.retryAfterMs });
    const dueMs = waitMs === undefined ? undefined : now() + waitMs;
    const status = outcome.error === null ? 'delivered' : dueMs === undefined ? 'failed' : 'pending';
    await database.transaction(async (tx) => {
      await task.complete(tx);
      const isOurs = await moveDelivery(tx, delivery.id, ['pending'], {
        status,
        attempts,
        response_status: outcome.status,
        error: outcome.error,
        next_attempt_at: dueMs === undefined ? null : new Date(dueMs).toISOString(),
        ended_at: status === 'pending' ? null : isoMicros(now),
      });
      if (!isOurs) return;
      if (dueMs !== undefined) await enqueue(tx, delivery, dueMs);
      await follow(tx, endpoint, outcome, status === 'failed');
    });
  }

  /** An endpoint that has failed for a day is disabled; one that takes a message is well again. */
  async function follow(tx: Tx, endpoint: EndpointRow, { status, error }: Outcome, isLast: boolean): Promise<void> {
    const { id, failing_since_ms: since } = endpoint;
    if (error === null) {
      if (since !== null) await updateEndpoint(tx, id, { failing_since_ms: null });
      return;
    }
    if (since === null) await updateEndpoint(tx, id, { failing_since_ms: now() });
    if (status === GONE) return disable(tx, endpoint, 'The receiver says that it is gone (410).');
    if (isLast && since !== null && now() - since >= DAY_MS)
      await disable(tx, endpoint, `It has taken nothing for a day. ${error}`);
  }

  async function send(task: RunningTask, signal: AbortSignal): Promise<void> {
    const { delivery_id } = task.payload as { delivery_id: string };
    const delivery = await findDelivery(db, delivery_id);
    const endpoint = delivery && (await findEndpoint(db, delivery.endpoint_id));
    if (!endpoint || delivery.status !== 'pending') return;
    const { creator_id: user_id, key_id, workspace_id } = endpoint;
    const lost =
      endpoint.status === 'enabled'
        ? await authority.refusalOf({ key_id, user_id, workspace_id }, 'notifications:write')
        : undefined;
    if (endpoint.status === 'enabled' && !lost)
      return settle(task, endpoint, delivery, await post(endpoint, delivery, signal));
    await database.transaction(async (tx) => {
      await task.complete(tx);
      if (lost) await disable(tx, endpoint, lost.message.replace('This ended', 'Disabled'));
      const error = 'The endpoint is disabled.';
      await moveDelivery(tx, delivery.id, ['pending'], {
        status: 'failed',
        error,
        next_attempt_at: null,
        ended_at: isoMicros(now),
      });
    });
  }

  const runner = createTaskRunner({
    database,
    now,
    log,
    queues: {
      [NEWS_QUEUE]: { concurrency: NEWS_CONCURRENCY, turns: { perTenantMax: 1, perKeyMax: 1 }, handler: spread },
      [SEND_QUEUE]: {
        concurrency: CONCURRENCY,
        turns: TURNS,
        leaseMs: LEASE_MS,
        handler: (task, { signal }) => send(task, signal),
      },
    },
  });
  return { ...runner, add, enqueue };
}

function explainStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  if (status >= 300 && status < 400) return `The receiver redirects (${status}), and redirects are not followed.`;
  return `The receiver answered with status ${status}.`;
}
