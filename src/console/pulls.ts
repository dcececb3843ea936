import type { Logger } from '../kit/base/log.ts';
import { badRequest, type SseReply, sse } from '../kit/http/index.ts';
import type { Pull } from './schema/models.ts';

/** Weights that can be fetched, and how. */
export type Weights = {
  catalogue(): {
    id: string;
    purpose: string;
    summary: string;
    licence: string;
    bytes: number;
    memory_bytes: number | null;
    speed: string | null;
  }[];
  /** The ids of what is here. */
  installed(): Promise<string[]>;
  /** What a configured model needs of them. */
  neededBy(modelId: string): string | undefined;
  pull(
    model: string,
    onProgress: (progress: Omit<Pull, 'model' | 'state'>) => void,
    signal: AbortSignal,
  ): Promise<void>;
};

export type Pulls = {
  list(): Pull[];
  /** Begins, or joins the one that runs. Only what the catalogue names: an address of one's own is the operator's part. */
  begin(model: string): Pull;
  /** Each step of each fetch that runs, until the last has ended. */
  follow(signal: AbortSignal): SseReply;
  stop(): Promise<void>;
};

const KEPT_MAX = 50;

export function createPulls(weights: Weights, log: Logger): Pulls {
  const pulls = new Map<string, Pull>();
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const listeners = new Set<() => void>();

  function set(pull: Pull): void {
    pulls.delete(pull.model);
    if (pulls.size >= KEPT_MAX) pulls.delete(pulls.keys().next().value ?? '');
    pulls.set(pull.model, pull);
    for (const listener of listeners) listener();
  }

  async function run(model: string): Promise<void> {
    try {
      await weights.pull(model, (progress) => set({ model, state: 'running', ...progress }), stopping.signal);
      const bytes = weights.catalogue().find(({ id }) => id === model)?.bytes ?? 0;
      set({ model, state: 'done', bytes, total_bytes: bytes, message: 'The weights are here.' });
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error, model }, 'Weights could not be fetched for the console.');
      const { bytes = 0, total_bytes = null } = pulls.get(model) ?? {};
      set({
        model,
        state: 'failed',
        bytes,
        total_bytes,
        message: error instanceof Error ? error.message : String(error),
      });
    }
  }

  async function* changes(signal: AbortSignal) {
    const told = new Map<string, Pull>();
    let wake = () => {};
    const listener = () => wake();
    listeners.add(listener);
    signal.addEventListener('abort', listener);
    try {
      while (!signal.aborted) {
        const news = [...pulls.values()].filter((pull) => told.get(pull.model) !== pull);
        for (const pull of news) {
          told.set(pull.model, pull);
          yield { event: 'pull', data: pull };
        }
        if (![...pulls.values()].some(({ state }) => state === 'running')) return;
        if (news.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      listeners.delete(listener);
      signal.removeEventListener('abort', listener);
    }
  }

  return {
    list: () => [...pulls.values()],
    begin(model) {
      const known = pulls.get(model);
      if (known?.state === 'running') return known;
      const entry = weights.catalogue().find(({ id }) => id === model);
      if (!entry)
        throw badRequest(`The catalogue has no model '${model}'. The operator can fetch others: npx tramontane pull`);
      const begun: Pull = {
        model,
        state: 'running',
        bytes: 0,
        total_bytes: entry.bytes,
        message: 'looking for a source',
      };
      set(begun);
      const promise = run(model).finally(() => running.delete(promise));
      running.add(promise);
      return begun;
    },
    follow: (signal) => sse(changes(signal)),
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
