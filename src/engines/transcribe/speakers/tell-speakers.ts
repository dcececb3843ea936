import { codeFile } from '../../../kit/base/locations.ts';
import type { Logger } from '../../../kit/base/log.ts';
import type { Tenant } from '../../../kit/fair-queue/index.ts';
import { engineErrors, refuseTurn } from '../../errors.ts';
import { createChildPool } from '../../process/child-pool.ts';
import { NATIVE_LIBRARIES } from '../../process/environment.ts';
import { ChildExited, RequestFailed } from '../../process/start-child.ts';
import type { DecodedAudio } from '../decode/decode-audio.ts';
import type { KnownVoice } from './follow-voices.ts';
import { groupVoices, type SpeakerTurn } from './group-voices.ts';
import type { HeardVoice, SpeakerReply, SpeakerRequest, SpeakerSettings } from './protocol.ts';

const IDLE_MS = 60_000;
const WAITING_MAX = 64;
const SLICE_MS = 5 * 60_000;
const GRACE_MS = 30_000;

export type SpeakerTelling = {
  /** Who speaks when. `known` are recordings of one speaker each, by name. */
  tell(
    audio: DecodedAudio,
    known: Readonly<Record<string, DecodedAudio>>,
    tenant: Tenant,
    signal: AbortSignal,
  ): Promise<SpeakerTurn[]>;
  /** The voices of known speakers. */
  know(known: Readonly<Record<string, DecodedAudio>>, tenant: Tenant, signal: AbortSignal): Promise<KnownVoice[]>;
  /** The voices in a part of a live session, in samples. */
  hear(pcmFile: string, from: number, to: number, tenant: Tenant, signal: AbortSignal): Promise<HeardVoice[]>;
  pids(): number[];
  close(): Promise<void>;
};

type SpeakerTellingOptions = SpeakerSettings & {
  log: Logger;
  environment?: Record<string, string | undefined> | undefined;
};

/** Tells speakers apart in a process of its own, a minute of audio at a time. */
export function createSpeakerTelling({ log, environment, ...settings }: SpeakerTellingOptions): SpeakerTelling {
  const pool = createChildPool<SpeakerSettings, SpeakerRequest, SpeakerReply>({
    concurrency: 1,
    waitingMax: WAITING_MAX,
    idleMs: IDLE_MS,
    refuse: refuseTurn('the model that tells speakers apart'),
    child: () => ({
      name: 'speakers',
      entry: codeFile('engines/transcribe/speakers/child.ts'),
      settings,
      variables: NATIVE_LIBRARIES,
      environment,
      log,
      stepMs: SLICE_MS,
      patience: { silentMs: Number.POSITIVE_INFINITY },
    }),
  });

  function ask(
    request: SpeakerRequest,
    tenant: Tenant,
    signal: AbortSignal,
    isContinued: boolean,
  ): Promise<SpeakerReply> {
    return pool.run(
      tenant,
      signal,
      async (child) => {
        try {
          let reply: SpeakerReply | undefined;
          for await ([reply] of child.request(request, signal, { graceMs: GRACE_MS }));
          if (!reply) throw new RequestFailed('The process that tells speakers apart sent no reply.');
          return reply;
        } catch (error) {
          if (error instanceof RequestFailed) void child.end();
          signal.throwIfAborted();
          if (!(error instanceof ChildExited || error instanceof RequestFailed)) throw error;
          log.warn({ err: error }, 'speakers could not be told apart');
          throw engineErrors.engine_stopped('The process that tells speakers apart stopped. Send the request again.', {
            retryAfterSeconds: 5,
          });
        }
      },
      { isContinued },
    );
  }

  const know: SpeakerTelling['know'] = async (known, tenant, signal) => {
    const named: KnownVoice[] = [];
    for (const [name, { pcmFile, samples }] of Object.entries(known)) {
      const request = { pcmFile, from: 0, total: samples, isOneVoice: true };
      const [voice] = (await ask(request, tenant, signal, true)).voices;
      if (voice) named.push({ name, embedding: voice.embedding });
    }
    return named;
  };

  const hear: SpeakerTelling['hear'] = async (pcmFile, start, total, tenant, signal) => {
    const voices: HeardVoice[] = [];
    for (let from = start; from < total; ) {
      const reply = await ask({ pcmFile, from, total, isOneVoice: false }, tenant, signal, from > 0);
      voices.push(...reply.voices);
      from = reply.next;
    }
    return voices;
  };

  return {
    know,
    hear,
    async tell({ pcmFile, samples }, known, tenant, signal) {
      const voices = await hear(pcmFile, 0, samples, tenant, signal);
      return groupVoices(voices, await know(known, tenant, signal));
    },
    pids: pool.pids,
    close: pool.close,
  };
}
