import { hostname } from 'node:os';
import type { Log } from '../definitions.ts';
import { toFailure } from '../errors.ts';
import type { HistoryEvent, PollResponse, QueryAnswerRequest, QueryTask, RegisterRequest } from '../protocol.ts';
import { registry } from '../registry.ts';
import { connectorStep } from '../run/connector-tool.ts';
import { chatStep } from '../run/model-turn.ts';
import { createApi, Refused } from './api.ts';
import { attributeErrors } from './attribute-errors.ts';
import { createBackoff } from './backoff.ts';
import { guardGlobals } from './guard-globals.ts';
import { describeWorkflow, fetchServerInfo, keepRegistered } from './registration.ts';
import { createRuns } from './runs.ts';
import { createSender } from './sender.ts';
import { createLogShipper } from './ship-logs.ts';
import { createSteps } from './steps.ts';
import type { Worker, WorkerOptions } from './worker-options.ts';

const POLL_MS = 20_000;
const DRAIN_MS = 30_000;
const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Registers a worker and runs it until it is stopped. */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const deployment = options.deployment ?? 'default';
  const name = options.name ?? `${hostname()}-${process.pid}`;
  const log = options.log ?? SILENT;
  const workflows = byName('workflow', options.workflows ?? [...registry().workflows.values()]);
  const steps = byName('step', [chatStep, connectorStep, ...(options.steps ?? registry().steps.values())]);
  if (workflows.size === 0) throw new TypeError('There is no workflow to run: define one with defineWorkflow.');

  const stopping = new AbortController();
  options.signal?.addEventListener('abort', () => stopping.abort());
  const leaving = new AbortController();
  const api = createApi({ url: options.url, apiKey: options.apiKey });
  const identity = { deployment_name: deployment, worker_name: name };
  const onTrouble = (error: unknown) => {
    if (!leaving.signal.aborted) log.warn(error instanceof Error ? error.message : String(error));
  };
  let wake: () => void = () => undefined;
  const onFree = () => wake();

  const request: RegisterRequest = {
    definitions: [...workflows.values()].map((workflow) => describeWorkflow(workflow, deployment)),
    ...identity,
    deployment_location: { location_type: 'local' },
  };
  const known = { api, signal: stopping.signal, onWarning: (words: string) => log.warn(words) };
  const closeApi = async (error: unknown): Promise<never> => {
    await api.close();
    throw error;
  };
  const server = await fetchServerInfo(known).catch(closeApi);
  if (server.features.engine === 'temporal') {
    const { startOnTemporal } = await import('../temporal/start-on-temporal.ts');
    return startOnTemporal({ options, api, server, request, workflows, steps, log, stopping }).catch(closeApi);
  }
  guardGlobals();
  attributeErrors();
  const registered = await keepRegistered({ ...known, request }).catch(closeApi);

  const logs = createLogShipper({ api, identity, local: log, now: Date.now });
  const sender = createSender({ api, identity, signal: leaving.signal });
  const stepRunner = createSteps({
    api,
    steps,
    max: options.maxSteps ?? 100,
    now: Date.now,
    logFor: ({ execution_id, run_id, workflow_name, activity_id }) =>
      logs.about({ execution_id, run_id, workflow_name, activity_id }),
    onFree,
    onTrouble,
  });
  const maxTurns = options.maxTurns ?? 200;
  const runs = createRuns({
    workflows,
    sender,
    steps: stepRunner,
    readHistory,
    now: Date.now,
    logFor: ({ execution_id, run_id, workflow_name }) => logs.about({ execution_id, run_id, workflow_name }),
    onFree,
    onTrouble,
    platform: { url: api.url, apiKey: api.apiKey },
    cache: { runsMax: options.cache?.runsMax ?? 5000, charactersMax: options.cache?.charactersMax ?? 256_000_000 },
  });

  async function readHistory(runId: string, after: number) {
    const path = `/v1/workflows/workers/history?run_id=${encodeURIComponent(runId)}&after=${after}`;
    const { data, characters } = await api.get<{ events: HistoryEvent[] }>(path);
    return { events: data.events, characters };
  }

  async function poll(): Promise<void> {
    const backoff = createBackoff(2000);
    let hasWarned = false;
    const names = { workflows: [...workflows.keys()], steps: [...steps.keys()] };
    while (!stopping.signal.aborted) {
      const room = { max_workflow_tasks: Math.max(0, maxTurns - runs.busy), max_step_tasks: stepRunner.free };
      if (room.max_workflow_tasks === 0 && room.max_step_tasks === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          stopping.signal.addEventListener('abort', () => resolve(), { once: true });
        });
        continue;
      }
      try {
        const body = JSON.stringify({ ...identity, ...names, ...room, wait_ms: POLL_MS });
        const { data } = await api.post<PollResponse>('/v1/workflows/workers/poll', body, {
          waitMs: POLL_MS,
          signal: stopping.signal,
        });
        backoff.reset();
        hasWarned = false;
        for (const task of data.workflow_tasks) void runs.begin(task);
        for (const task of data.step_tasks) runs.runStep(task);
        for (const token of data.cancelled_steps) stepRunner.cancel(token);
        if (data.queries.length > 0) void answer(data.queries);
      } catch (error) {
        if (stopping.signal.aborted) return;
        if (error instanceof Refused && (error.status === 401 || error.status === 403)) throw error;
        if (!hasWarned) log.warn(`${(error as Error).message}. Trying again until it answers.`);
        hasWarned = true;
        await backoff.wait(stopping.signal);
      }
    }
  }

  async function answer(queries: QueryTask[]): Promise<void> {
    const answers: QueryAnswerRequest['answers'] = await Promise.all(
      queries.map(async (query) => {
        const { query_id } = query;
        try {
          return { query_id, result: await runs.query(query) };
        } catch (error) {
          return { query_id, failure: toFailure(error) };
        }
      }),
    );
    const request: QueryAnswerRequest = { answers };
    await api.post('/v1/workflows/workers/queries', JSON.stringify(request)).catch(onTrouble);
  }

  const polling = poll();
  const ended = Promise.all([polling, registered.ended]).then(() => undefined);
  ended.catch(() => undefined);

  return {
    name,
    deployment,
    workflows: [...workflows.keys()],
    steps: [...steps.keys()],
    status: () => ({ turns: runs.busy, steps: stepRunner.running, cached: runs.cached }),
    ended,
    async stop(drainMs = DRAIN_MS) {
      stopping.abort();
      await polling.catch(() => undefined);
      const time = new AbortController();
      const late = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, drainMs);
        time.signal.addEventListener('abort', () => clearTimeout(timer));
      });
      const drained = Promise.all([runs.drain(), stepRunner.idle()]).then(() => sender.idle());
      await Promise.race([late, drained.then(() => logs.flush())]);
      time.abort();
      stepRunner.stop('The worker stops.');
      leaving.abort();
      await api.close();
    },
  };
}

function byName<T extends { name: string }>(kind: string, list: readonly T[]): Map<string, T> {
  const found = new Map<string, T>();
  for (const definition of list) {
    const other = found.get(definition.name);
    if (other && other !== definition)
      throw new TypeError(`Two ${kind}s are called "${definition.name}". Give each its own name.`);
    found.set(definition.name, definition);
  }
  return found;
}
