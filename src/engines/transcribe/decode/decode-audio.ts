import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { codeFile } from '../../../kit/base/locations.ts';
import type { Logger } from '../../../kit/base/log.ts';
import type { Tenant } from '../../../kit/fair-queue/index.ts';
import { type ApiError, requestErrors } from '../../../kit/http/index.ts';
import { engineErrors, refuseTurn, toApiError } from '../../errors.ts';
import { createChildPool } from '../../process/child-pool.ts';
import { Refusal } from '../../process/protocol.ts';
import { type Child, ChildExited, RequestFailed } from '../../process/start-child.ts';
import type { DecodePart, DecodeRequest } from './protocol.ts';

const IDLE_MS = 60_000;
const WAITING_MAX = 256;
const CONCURRENCY = 2;
/** For a piece of 64 KiB, which takes some milliseconds. */
const PIECE_MS = 20_000;
const GRACE_MS = 1000;

/** Samples on disk, until they are discarded. */
export type DecodedAudio = { pcmFile: string; samples: number; discard(): Promise<void> };

export type AudioDecoding = {
  decode(file: string, secondsMax: number, tenant: Tenant, signal: AbortSignal): Promise<DecodedAudio>;
  pids(): number[];
  close(): Promise<void>;
};

export type AudioDecodingOptions = {
  /** Where decoded samples are written. */
  dir: string;
  memoryMib: number;
  log: Logger;
  pieceMs?: number;
};

/** Decodes audio files in processes of their own, each with limits of memory and time. */
export function createAudioDecoding({ dir, memoryMib, log, pieceMs = PIECE_MS }: AudioDecodingOptions): AudioDecoding {
  const pool = createChildPool<object, DecodeRequest, DecodePart>({
    concurrency: CONCURRENCY,
    waitingMax: WAITING_MAX,
    idleMs: IDLE_MS,
    refuse: refuseTurn('the decoder of audio'),
    child: () => ({
      name: 'audio decoder',
      entry: codeFile('engines/transcribe/decode/child.ts'),
      settings: {},
      variables: [],
      log,
      heapMib: memoryMib,
      memoryMib,
      stepMs: pieceMs,
      patience: { silentMs: Number.POSITIVE_INFINITY },
    }),
  });

  async function run(child: Child<DecodeRequest, DecodePart>, request: DecodeRequest, signal: AbortSignal) {
    let samples = 0;
    try {
      for await (const parts of child.request(request, signal, { graceMs: GRACE_MS }))
        samples = parts.at(-1)?.samples ?? samples;
      return samples;
    } catch (error) {
      // A codec that failed once may be in any state.
      if (error instanceof RequestFailed) void child.end();
      signal.throwIfAborted();
      throw translate(error, log);
    }
  }

  return {
    async decode(file, secondsMax, tenant, signal) {
      await mkdir(dir, { recursive: true, mode: 0o700 });
      const pcmFile = join(dir, `${randomBytes(16).toString('hex')}.pcm`);
      const discard = () => rm(pcmFile, { force: true });
      try {
        const request = { file, pcmFile, secondsMax };
        const samples = await pool.run(tenant, signal, (child) => run(child, request, signal));
        return { pcmFile, samples, discard };
      } catch (error) {
        await discard();
        throw error;
      }
    },
    pids: pool.pids,
    close: pool.close,
  };
}

/** Whatever goes wrong with a process that decodes, its file is to blame. */
function translate(error: unknown, log: Logger): unknown {
  if (error instanceof Refusal) return toApiError(error);
  if (!(error instanceof ChildExited || error instanceof RequestFailed)) return error;
  log.warn({ err: error }, 'an audio file was given up');
  return explain(error instanceof ChildExited ? error.killed : undefined);
}

function explain(killed: ChildExited['killed']): ApiError {
  if (killed === 'slow') return engineErrors.audio_too_slow('The audio took too long to be decoded.');
  if (killed === 'memory') return engineErrors.audio_memory_exceeded('The audio needed too much memory to be decoded.');
  if (killed === 'ended') return requestErrors.server_stopping();
  return engineErrors.audio_damaged('The audio cannot be decoded: it is damaged, or made to be unreadable.');
}
