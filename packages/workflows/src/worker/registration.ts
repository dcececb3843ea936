import { isSchema, signalSchema } from '../define-workflow.ts';
import type { AnyWorkflow, CallShape, SignalShape } from '../definitions.ts';
import type {
  HandlerSpec,
  RegisterRequest,
  RegisterResponse,
  WhoAmIResponse,
  WorkerHeartbeatRequest,
  WorkerHeartbeatResponse,
  WorkflowSpec,
} from '../protocol.ts';
import { toJsonSchema } from '../schema.ts';
import { type Api, Refused } from './api.ts';
import { createBackoff, pause } from './backoff.ts';

const HEARTBEAT_MS = 10_000;
const HOUR_MS = 3_600_000;

/** The registered definition of a workflow. */
export function describeWorkflow({ name, settings }: AnyWorkflow, deployment: string): WorkflowSpec {
  return {
    name,
    task_queue: deployment,
    ...(settings.displayName === undefined ? {} : { display_name: settings.displayName }),
    ...(settings.description === undefined ? {} : { description: settings.description }),
    input_schema: toJsonSchema(settings.input),
    ...(settings.output === undefined ? {} : { output_schema: toJsonSchema(settings.output, 'output') }),
    signals: Object.entries(settings.signals ?? {}).map(([signal, shape]) => describeSignal(signal, shape)),
    queries: Object.entries(settings.queries ?? {}).map(([query, shape]) => describeCall(query, shape)),
    updates: Object.entries(settings.updates ?? {}).map(([update, shape]) => describeCall(update, shape)),
    enforce_determinism: true,
    execution_timeout: (settings.executionTimeoutMs ?? HOUR_MS) / 1000,
    ...(settings.searchKeys ? { search_keys: settings.searchKeys } : {}),
  };
}

function describeSignal(name: string, shape: SignalShape): HandlerSpec {
  const description = isSchema(shape) ? undefined : (shape as { description?: string }).description;
  return {
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: toJsonSchema(signalSchema(shape)),
  };
}

function describeCall(name: string, { input, output, description }: CallShape): HandlerSpec {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: toJsonSchema(input),
    ...(output === undefined ? {} : { output_schema: toJsonSchema(output, 'output') }),
  };
}

type Known = { api: Api; signal: AbortSignal; onWarning: (words: string) => void };

/** Retries until the server responds; a rejection is final. */
async function insist<T>({ signal, onWarning }: Known, ask: () => Promise<{ data: T }>): Promise<T> {
  const backoff = createBackoff(2000);
  for (let isFirst = true; ; isFirst = false) {
    try {
      return (await ask()).data;
    } catch (error) {
      if (error instanceof Refused || signal.aborted) throw error;
      if (isFirst) onWarning(`${(error as Error).message}. Trying again until it answers.`);
      await backoff.wait(signal);
    }
  }
}

/** The engine of the server, and where to poll for tasks. */
export function fetchServerInfo(known: Known): Promise<WhoAmIResponse> {
  return insist(known, () => known.api.get<WhoAmIResponse>('/v1/workflows/workers/whoami'));
}

/**
 * Registers the worker and sends a heartbeat every ten seconds; registers again when one fails or the server does not
 * know the worker. The first registration must succeed; a rejection is final.
 */
export async function keepRegistered(given: Known & { request: RegisterRequest }): Promise<{ ended: Promise<void> }> {
  const { api, request, signal, onWarning } = given;
  const body = JSON.stringify({ ...request, sdk: 'tramontane' });
  const { deployment_name, worker_name } = request;

  async function register(): Promise<RegisterResponse> {
    const data = await insist(given, () => api.post<RegisterResponse>('/v1/workflows/register', body, { signal }));
    for (const warning of data.warnings) onWarning(warning);
    return data;
  }

  async function keep(registered: RegisterResponse): Promise<void> {
    let refs = registered.workflow_registration_refs;
    while (!signal.aborted) {
      await pause(HEARTBEAT_MS, signal);
      if (signal.aborted) return;
      const beat: WorkerHeartbeatRequest = { deployment_name, worker_name, workflow_registration_refs: refs };
      const isActive = await api
        .post<WorkerHeartbeatResponse>('/v1/workflows/workers/heartbeat', JSON.stringify(beat), { signal })
        .then(({ data }) => data.all_active)
        .catch(() => false);
      if (!isActive && !signal.aborted) refs = (await register()).workflow_registration_refs;
    }
  }

  const registered = await register();
  return {
    ended: keep(registered).catch((error) => {
      if (!signal.aborted) throw error;
    }),
  };
}
