import type { Logger } from '../../kit/base/log.ts';
import { type SseReply, sse } from '../../kit/http/index.ts';
import { consoleErrors } from '../errors.ts';
import type { Pull } from '../schema/models.ts';

/** The weights that can be downloaded. */
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
  /** Ids of the installed weights. */
  installed(): Promise<string[]>;
  /** The weights that a configured model needs, if any. */
  neededBy(modelId: string): string | undefined;
  pull(
    model: string,
    onProgress: (progress: Omit<Pull, 'model' | 'state'>) => void,
    signal: AbortSignal,
  ): Promise<void>;
};

export type Pulls = {
  list(): Pull[];
  /** Starts a download, or joins the running one. Only catalogue ids: other addresses are for the operator. */
  start(model: string): Pull;
  /** Streams the progress of all downloads until the last one has ended. */
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
      set({ model, state: 'done', bytes, total_bytes: bytes, message: 'The weights are downloaded.' });
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error, model }, 'Weights could not be downloaded for the console.');
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
    const sent = new Map<string, Pull>();
    let wake = () => {};
    const listener = () => wake();
    listeners.add(listener);
    signal.addEventListener('abort', listener);
    try {
      while (!signal.aborted) {
        const changed = [...pulls.values()].filter((pull) => sent.get(pull.model) !== pull);
        for (const pull of changed) {
          sent.set(pull.model, pull);
          yield { event: 'pull', data: pull };
        }
        if (![...pulls.values()].some(({ state }) => state === 'running')) return;
        if (changed.length === 0)
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
    start(model) {
      const known = pulls.get(model);
      if (known?.state === 'running') return known;
      const entry = weights.catalogue().find(({ id }) => id === model);
      if (!entry) throw consoleErrors.catalogue_model_not_found(model);
      const started: Pull = {
        model,
        state: 'running',
        bytes: 0,
        total_bytes: entry.bytes,
        message: 'looking for a source',
      };
      set(started);
      const promise = run(model).finally(() => running.delete(promise));
      running.add(promise);
      return started;
    },
    follow: (signal) => sse(changes(signal)),
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}
