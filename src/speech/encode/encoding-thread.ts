import { Worker } from 'node:worker_threads';
import { codeFile } from '../../kit/base/locations.ts';
import { createFairQueue, type FairQueueOptions, OWN_WORK, type Tenant } from '../../kit/fair-queue/index.ts';
import type { Format } from '../schema/speech.ts';
import type { Finished } from './encoder.ts';
import type { Ask, Reply } from './protocol.ts';

/** An encoder elsewhere. One call at a time. */
export type RemoteEncoder = {
  encode(samples: Float32Array): Promise<Uint8Array>;
  finish(): Promise<Finished>;
  close(): void;
};

export type EncodingThread = {
  open(format: Format, sampleRate: number, turn?: { tenant: Tenant; signal: AbortSignal }): RemoteEncoder;
  stop(): Promise<void>;
};

const NEVER = new AbortController().signal;

type Waiting = { resolve(reply: Reply): void; reject(error: Error): void };
type Running = { worker: Worker; waiting: Map<number, Waiting> };

/**
 * A thread for the codecs, which would block the server for milliseconds at a time. The first encoder starts it. Tenants
 * take turns after each second of sound.
 */
export function createEncodingThread(watch?: FairQueueOptions['watch']): EncodingThread {
  const queue = createFairQueue({ concurrency: 1, refuse: () => new Error('Any number may wait here.'), watch });
  let running: Running | undefined;
  let ids = 0;

  function start(): Running {
    const worker = new Worker(codeFile('speech/encode/thread.ts'), { env: {} });
    const started: Running = { worker, waiting: new Map() };
    worker.unref();
    worker.on('message', (reply: Reply) => {
      started.waiting.get(reply.id)?.resolve(reply);
      started.waiting.delete(reply.id);
    });
    const lost = (cause: unknown) => {
      if (running === started) running = undefined;
      for (const { reject } of started.waiting.values()) reject(new Error('The encoding thread ended.', { cause }));
      started.waiting.clear();
    };
    worker.once('error', lost);
    worker.once('exit', lost);
    return started;
  }

  return {
    open(format, sampleRate, { tenant, signal } = { tenant: OWN_WORK, signal: NEVER }) {
      running ??= start();
      const { worker, waiting } = running;
      const id = ++ids;
      const tell = (ask: Ask, transfer: ArrayBuffer[] = []) => worker.postMessage(ask, transfer);
      const ask = async (question: Ask, transfer?: ArrayBuffer[]) => {
        const answer = () =>
          new Promise<Reply>((resolve, reject) => {
            if (running?.worker !== worker) return reject(new Error('The encoding thread ended.'));
            waiting.set(id, { resolve, reject });
            tell(question, transfer);
          });
        const reply = await queue.run(tenant, signal, answer);
        if ('error' in reply) throw new Error(`Encoding as ${format} failed: ${reply.error}`);
        return reply;
      };
      tell({ id, kind: 'open', format, sampleRate });
      return {
        async encode(samples) {
          // A copy of its own to hand over: the samples may be part of something larger.
          const own = samples.slice();
          return (await ask({ id, kind: 'encode', samples: own }, [own.buffer])).bytes;
        },
        async finish() {
          const { bytes: tail, head } = await ask({ id, kind: 'finish' });
          return head ? { tail, head } : { tail };
        },
        close: () => tell({ id, kind: 'close' }),
      };
    },
    async stop() {
      await running?.worker.terminate();
    },
  };
}
