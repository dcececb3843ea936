import { availableParallelism } from 'node:os';
import { codeFile } from '../../kit/base/locations.ts';
import type { Logger } from '../../kit/base/log.ts';
import { createFairQueue, type FairQueueOptions, OWN_WORK, type Tenant } from '../../kit/fair-queue/index.ts';
import { requestErrors } from '../../kit/http/index.ts';
import type { Embeddings, Engine, Tally } from '../engine.ts';
import { refuseChat, refuseTurn } from '../errors.ts';
import { NATIVE_LIBRARIES } from '../process/environment.ts';
import { superviseChild } from '../process/supervise-child.ts';
import type { Patience } from '../process/watch-child.ts';
import { estimateTokens } from '../tally-deltas.ts';
import type { EmbedReply, EmbedRequest, EmbedSettings, EmbedTask } from './protocol.ts';

/** Requests in the child, which take turns there batch by batch, and others that wait. */
const OPEN_MAX = 64;
const OPEN_PER_TENANT_MAX = 16;
const WAITING_MAX = 1024;
/** For one batch, which takes half a second on a slow machine. */
const STUCK_MS = 60_000;

export type EmbedOptions = {
  modelFile: string;
  tokenizerFile: string;
  log: Logger;
  /** Default: vectors. `classify` gives the logits of a text instead. */
  task?: EmbedTask;
  /** Default: all cores but one. */
  threads?: number;
  /** True: the first request starts the process. */
  isLazy?: boolean;
  environment?: Record<string, string | undefined>;
  watch?: FairQueueOptions['watch'];
  patience?: Partial<Patience>;
};

export type EmbedEngine = Engine & {
  embed(texts: string[], signal: AbortSignal, dimension?: number, tally?: Tally, tenant?: Tenant): Promise<Embeddings>;
  countTokens(texts: string[], signal: AbortSignal, tenant?: Tenant): Promise<number[]>;
  pid(): number | undefined;
};

/** A sentence model in a process of its own, started at once unless it is lazy. */
export function createEmbedEngine(options: EmbedOptions): EmbedEngine {
  const { modelFile, tokenizerFile, threads = Math.max(1, availableParallelism() - 1) } = options;
  const subject = options.task === 'classify' ? 'classifier' : 'embedding model';
  const child = superviseChild<EmbedSettings, EmbedRequest, EmbedReply>({
    name: options.task === 'classify' ? 'classifier' : 'embeddings',
    subject: `The ${subject}`,
    entry: codeFile('engines/embed/child.ts'),
    yields: true,
    settings: { modelFile, tokenizerFile, threads, task: options.task ?? 'embed' },
    variables: NATIVE_LIBRARIES,
    environment: options.environment,
    log: options.log,
    patience: { stuckMs: STUCK_MS, ...options.patience },
  });
  const queue = createFairQueue({
    concurrency: OPEN_MAX,
    perTenantMax: OPEN_PER_TENANT_MAX,
    waitingMax: WAITING_MAX,
    refuse: refuseTurn(`the ${subject}`),
    watch: options.watch,
  });

  function request(
    kind: EmbedRequest['kind'],
    texts: string[],
    signal: AbortSignal,
    tenant: Tenant = OWN_WORK,
  ): Promise<EmbedReply> {
    return queue.run(tenant, signal, async () => {
      let reply: EmbedReply | undefined;
      for await ([reply] of child.request({ kind, texts, tenant }, signal));
      if (!reply) throw new Error(`The child process of the ${subject} sent no reply.`);
      return reply;
    });
  }

  if (!options.isLazy) child.warm().catch(() => undefined);
  return {
    ...refuseChat('embeds'),
    async embed(texts, signal, _dimension, tally, tenant) {
      if (texts.length === 0) return { vectors: [], promptTokens: 0 };
      const { vectors = new Float32Array(), tokens } = await request('embed', texts, signal, tenant).catch((error) => {
        const characters = texts.reduce((sum, { length }) => sum + length, 0);
        if (signal.aborted) tally?.add({ promptTokens: estimateTokens(characters), completionTokens: 0 });
        throw error;
      });
      const dimensions = vectors.length / texts.length;
      const rowOf = (_: string, row: number) => vectors.subarray(row * dimensions, (row + 1) * dimensions);
      const promptTokens = tokens.reduce((sum, count) => sum + count, 0);
      tally?.add({ promptTokens, completionTokens: 0 });
      return { vectors: texts.map(rowOf), promptTokens };
    },
    async countTokens(texts, signal, tenant) {
      return texts.length === 0 ? [] : (await request('count', texts, signal, tenant)).tokens;
    },
    warm: () => child.warm(),
    state: child.state,
    pid: child.pid,
    close() {
      queue.close(requestErrors.server_stopping);
      return child.close();
    },
  };
}
