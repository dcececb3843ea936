import { availableParallelism } from 'node:os';
import type { Logger } from '../../kit/base/log.ts';
import type { Embeddings, Engine, Tally } from '../engine.ts';
import { refuseChat } from '../errors.ts';
import { NATIVE_LIBRARIES } from '../process/environment.ts';
import { superviseChild } from '../process/supervise-child.ts';
import type { Patience } from '../process/watch-child.ts';
import { estimateTokens } from '../tally-deltas.ts';
import type { EmbedReply, EmbedRequest, EmbedSettings } from './protocol.ts';

const PENDING_MAX = 256;

export type EmbedOptions = {
  modelFile: string;
  tokenizerFile: string;
  log: Logger;
  /** Default: all cores but one. */
  threads?: number;
  environment?: Record<string, string | undefined>;
  patience?: Partial<Patience>;
};

export type EmbedEngine = Engine & {
  embed(texts: string[], signal: AbortSignal, dimension?: number, tally?: Tally): Promise<Embeddings>;
  countTokens(texts: string[], signal: AbortSignal): Promise<number[]>;
  pid(): number | undefined;
};

/** A sentence model in a process of its own, started at once. */
export function createEmbedEngine(options: EmbedOptions): EmbedEngine {
  const { modelFile, tokenizerFile, threads = Math.max(1, availableParallelism() - 1) } = options;
  const child = superviseChild<EmbedSettings, EmbedRequest, EmbedReply>({
    name: 'embeddings',
    subject: 'The embedding model',
    entry: new URL('child.ts', import.meta.url),
    settings: { modelFile, tokenizerFile, threads },
    variables: NATIVE_LIBRARIES,
    environment: options.environment,
    log: options.log,
    patience: options.patience,
  });

  async function request(kind: EmbedRequest['kind'], texts: string[], signal: AbortSignal): Promise<EmbedReply> {
    child.admit(PENDING_MAX);
    let reply: EmbedReply | undefined;
    for await ([reply] of child.request({ kind, texts }, signal));
    if (!reply) throw new Error('The child process of the embedding model sent no reply.');
    return reply;
  }

  child.warm().catch(() => undefined);
  return {
    ...refuseChat('embeds'),
    async embed(texts, signal, _dimension, tally) {
      if (texts.length === 0) return { vectors: [], promptTokens: 0 };
      const { vectors = new Float32Array(), tokens } = await request('embed', texts, signal).catch((error) => {
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
    async countTokens(texts, signal) {
      return texts.length === 0 ? [] : (await request('count', texts, signal)).tokens;
    },
    state: child.state,
    pid: child.pid,
    close: child.close,
  };
}
