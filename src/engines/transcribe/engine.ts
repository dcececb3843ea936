import { codeFile } from '../../kit/base/locations.ts';
import type { Logger } from '../../kit/base/log.ts';
import { type FairQueueOptions, OWN_WORK, type Tenant } from '../../kit/fair-queue/index.ts';
import { ApiError, requestErrors } from '../../kit/http/index.ts';
import type { Engine } from '../engine.ts';
import { engineErrors, refuseChat, refuseTurn } from '../errors.ts';
import { createChildPool } from '../process/child-pool.ts';
import { NATIVE_LIBRARIES } from '../process/environment.ts';
import { type Child, ChildExited, RequestFailed } from '../process/start-child.ts';
import { createAudioDecoding, type DecodedAudio } from './decode/decode-audio.ts';
import { LightUnavailable, type LookOptions, listenTo } from './listen.ts';
import { createLiveAudio } from './live-audio.ts';
import type {
  HeardSegment,
  LookReply,
  LookRequest,
  WhisperReply,
  WhisperRequest,
  WhisperSettings,
  WindowRequest,
} from './protocol.ts';
import { followVoices } from './speakers/follow-voices.ts';
import type { SpeakerTurn } from './speakers/group-voices.ts';
import { type LabelledSegment, labelSegments } from './speakers/label-segments.ts';
import { createSpeakerTelling } from './speakers/tell-speakers.ts';
import {
  type ListenOptions,
  SAMPLE_RATE,
  type TranscribeRequest,
  type TranscriptionEngine,
  type TranscriptPart,
} from './transcription-engine.ts';
import { LANGUAGES, modelLanguage, wireLanguage } from './whisper/languages.ts';

const IDLE_MS = 5 * 60_000;
const WAITING_MAX = 256;
/** For one window, which takes some seconds on a slow machine. */
const WINDOW_MS = 10 * 60_000;
/** How long a window may go on after its client left; a token takes milliseconds, the encoder seconds. */
const GRACE_MS = 30_000;
const HOUR_SECONDS = 3600;
const REFERENCE_SECONDS_MAX = 300;
/** Looks of the light model take a fraction of a second, so sessions share few processes. */
const LIGHT_CONCURRENCY = 2;
/** A light model that failed is not tried again for so long; Whisper hears English meanwhile. */
const LIGHT_REST_MS = 5 * 60_000;

export type WhisperEngineOptions = WhisperSettings &
  Pick<FairQueueOptions, 'perTenantMax' | 'watch'> & {
    /** Windows that are transcribed at the same time, each in a process with the model. */
    concurrency: number;
    hoursMax: number;
    /** Of a process that decodes. */
    decoderMemoryMib: number;
    /** For decoded audio. */
    dir: string;
    /** Hears English in live sessions sooner than Whisper does, where its weights are here. */
    light?: (() => LightFiles | undefined) | undefined;
    /** Tells speakers apart, where the operator wants it. */
    speakers?: { segmentationFile: string; embeddingFile: string } | undefined;
    log: Logger;
    environment?: Record<string, string | undefined>;
    idleMs?: number;
  };

export type LightFiles = { encoderFile: string; decoderFile: string; tokenizerFile: string };

/** How far an audio is transcribed. */
type Progress = { at: number; language: string | undefined; isToldLanguage: boolean; tokens: number };

/** Whisper in child processes. Audios take turns after each window of half a minute. */
export function createWhisperEngine(options: WhisperEngineOptions): Engine & { pids(): number[] } {
  const { encoderFile, decoderFile, tokenizerFile, vadFile, threads, log } = options;
  const decoding = createAudioDecoding({ dir: options.dir, memoryMib: options.decoderMemoryMib, log });
  const speakers =
    options.speakers && createSpeakerTelling({ ...options.speakers, threads, log, environment: options.environment });
  const shared = { waitingMax: WAITING_MAX, idleMs: options.idleMs ?? IDLE_MS, refuse: refuseTurn('the transcriber') };
  const childOf = (name: string, entry: string, settings: () => WhisperSettings) => () => ({
    name,
    entry: codeFile(entry),
    settings: settings(),
    variables: NATIVE_LIBRARIES,
    environment: options.environment,
    log,
    nodeOptions: ['--expose-gc'],
    stepMs: WINDOW_MS,
    patience: { silentMs: Number.POSITIVE_INFINITY },
  });
  const own = { encoderFile, decoderFile, tokenizerFile, vadFile, threads };
  const pool = createChildPool<WhisperSettings, WhisperRequest, WhisperReply | LookReply>({
    ...shared,
    concurrency: options.concurrency,
    perTenantMax: options.perTenantMax,
    watch: options.watch,
    child: childOf('whisper', 'engines/transcribe/child.ts', () => own),
  });
  const lightPool = createChildPool<WhisperSettings, LookRequest, LookReply>({
    ...shared,
    concurrency: LIGHT_CONCURRENCY,
    perTenantMax: LIGHT_CONCURRENCY,
    child: childOf('moonshine', 'engines/transcribe/light/child.ts', () => ({ ...own, ...options.light?.() })),
  });

  let lightRestsUntil = 0;
  const hasLight = () => performance.now() >= lightRestsUntil && options.light?.() !== undefined;

  async function hear<Request, Reply>(child: Child<Request, Reply>, request: Request, signal: AbortSignal) {
    try {
      let reply: Reply | undefined;
      for await ([reply] of child.request(request, signal, { graceMs: GRACE_MS }));
      if (!reply) throw new RequestFailed('The child process sent no reply.');
      return reply;
    } catch (error) {
      if (error instanceof RequestFailed) void child.end();
      signal.throwIfAborted();
      throw translate(error, log);
    }
  }

  /** A process that cannot load the light model, or dies of it, must not end the session. */
  async function hearLight(tenant: Tenant, signal: AbortSignal, request: LookRequest, isContinued: boolean) {
    try {
      return await lightPool.run(tenant, signal, (child) => hear(child, request, signal), { isContinued });
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'engine_stopped')) throw error;
      lightRestsUntil = performance.now() + LIGHT_REST_MS;
      log.warn({ minutes: LIGHT_REST_MS / 60_000 }, 'the light model cannot be used: Whisper hears English meanwhile');
      throw new LightUnavailable();
    }
  }

  async function withReferences<T>(
    { speakerReferences = {} }: Pick<TranscribeRequest, 'speakerReferences'>,
    tenant: Tenant,
    signal: AbortSignal,
    use: (known: Record<string, DecodedAudio>) => Promise<T>,
  ): Promise<T> {
    const known: Record<string, DecodedAudio> = {};
    try {
      for (const [name, file] of Object.entries(speakerReferences))
        known[name] = await decoding.decode(file, REFERENCE_SECONDS_MAX, tenant, signal);
      return await use(known);
    } finally {
      for (const { discard } of Object.values(known)) await discard();
    }
  }

  function speakersFor(diarize: boolean | undefined) {
    if (diarize && !speakers)
      throw engineErrors.diarization_unavailable(
        'This model does not tell speakers apart here. Leave out diarize, or ask the operator to set diarization: true for the model.',
      );
    return diarize ? speakers : undefined;
  }

  /** Names the speakers of each utterance of a live session as it ends. */
  async function createLabel(asked: ListenOptions, pcmFile: string, tenant: Tenant, signal: AbortSignal) {
    const telling = speakersFor(asked.diarize);
    if (!telling) return undefined;
    const known = await withReferences(asked, tenant, signal, (found) => telling.know(found, tenant, signal));
    const voices = followVoices(known);
    return async (utterance: HeardSegment, from: number, to: number) =>
      labelSegments([utterance], voices.add(await telling.hear(pcmFile, from, to, tenant, signal)));
  }

  const transcription: TranscriptionEngine = {
    async *transcribe(request, signal, tally) {
      const { tenant = OWN_WORK, file, hasWords, temperature = 0 } = request;
      const language = languageOf(request);
      const telling = speakersFor(request.diarize);
      const { pcmFile, samples, discard } = await decoding.decode(
        file,
        options.hoursMax * HOUR_SECONDS,
        tenant,
        signal,
      );
      const progress: Progress = { at: 0, language, isToldLanguage: false, tokens: 0 };
      const prompt = (request.contextBias ?? []).join(' ');
      let isStarted = false;
      try {
        const audio = { pcmFile, samples, discard };
        const turns =
          telling &&
          (await withReferences(request, tenant, signal, (known) => telling.tell(audio, known, tenant, signal)));
        yield [{ kind: 'audio', seconds: samples / SAMPLE_RATE }];
        while (progress.at < samples) {
          const asked: WindowRequest = {
            kind: 'window',
            pcmFile,
            from: progress.at,
            total: samples,
            temperature,
            prompt,
            hasWords: hasWords || turns !== undefined,
            ...(progress.language !== undefined && { language: progress.language }),
          };
          const heard = await pool.run(tenant, signal, (child) => hear(child, asked, signal), {
            isContinued: isStarted,
          });
          const reply = heard as WhisperReply;
          isStarted = true;
          const parts = toParts(reply, progress, language, turns);
          tally?.add({ promptTokens: secondsBetween(progress.at, reply.next), completionTokens: reply.tokens });
          progress.at = Math.max(reply.next, progress.at + 1);
          yield [...parts, { kind: 'progress', seconds: progress.at / SAMPLE_RATE }];
        }
        yield [{ kind: 'end', outputTokens: progress.tokens }];
      } finally {
        await discard();
      }
    },
    async listen(asked, signal, tally) {
      const { tenant = OWN_WORK } = asked;
      const language = languageOf(asked);
      const audio = createLiveAudio(options.dir);
      const prompt = (asked.contextBias ?? []).join(' ');
      const look = ({ by, language, isContinued, ...rest }: LookOptions): Promise<LookReply> => {
        const request: LookRequest = { ...rest, pcmFile: audio.file };
        if (by === 'light') return hearLight(tenant, signal, request, isContinued);
        const wants = by === 'language' ? by : 'words';
        const told = { prompt, ...(language !== undefined && { language }) };
        const whisperLook: WhisperRequest = { kind: 'look', ...request, ...told, wants };
        const heard = pool.run(tenant, signal, (child) => hear(child, whisperLook, signal), { isContinued });
        return heard as Promise<LookReply>;
      };
      const label = await createLabel(asked, audio.file, tenant, signal);
      const wanted = { ...asked, ...(language !== undefined && { language }) };
      return listenTo({ audio, look, label, hasLight: hasLight(), toWire: wireLanguage }, wanted, signal, tally);
    },
  };

  return {
    ...refuseChat('transcribes'),
    transcription,
    state: () => ({ kind: 'ready' }),
    pids: () => [...pool.pids(), ...lightPool.pids(), ...decoding.pids(), ...(speakers?.pids() ?? [])],
    async close() {
      await Promise.all([pool.close(), lightPool.close(), decoding.close(), speakers?.close()]);
    },
  };
}

/** Whole seconds, so that those of all windows add up to those of the audio. */
function secondsBetween(from: number, to: number): number {
  return Math.ceil(to / SAMPLE_RATE) - Math.ceil(from / SAMPLE_RATE);
}

function languageOf({ language }: Pick<TranscribeRequest, 'language'>): string | undefined {
  if (language === undefined) return undefined;
  const own = modelLanguage(language);
  if (own === undefined)
    throw engineErrors.language_not_spoken(
      `The model does not know the language '${language}'. It knows ${LANGUAGES.flatMap((code) => wireLanguage(code) ?? []).join(', ')}.`,
    );
  return own;
}

function toParts(
  reply: WhisperReply,
  progress: Progress,
  asked: string | undefined,
  turns: SpeakerTurn[] | undefined,
): TranscriptPart[] {
  const parts: TranscriptPart[] = [];
  progress.tokens += reply.tokens;
  if (reply.language && reply.segments.length > 0) {
    const { code, isSure } = reply.language;
    if (!progress.isToldLanguage) parts.push({ kind: 'language', language: wireLanguage(asked ?? code) });
    progress.isToldLanguage = true;
    if (isSure) progress.language ??= code;
  }
  const segments = turns ? labelSegments(reply.segments, turns) : reply.segments;
  for (const segment of segments) parts.push(...partsOf(segment));
  return parts;
}

function* partsOf(segment: HeardSegment | LabelledSegment): Generator<TranscriptPart> {
  const { text, start, end, score, words } = segment;
  const who = 'speaker' in segment && segment.speaker !== undefined ? { speaker: segment.speaker } : {};
  yield { kind: 'segment', text: text.trim(), ...rounded(start, end, score), ...who };
  for (const word of words)
    yield { kind: 'word', text: word.text.trim(), ...rounded(word.start, word.end, word.score), ...who };
  yield { kind: 'text', text };
}

function rounded(start: number, end: number, score: number) {
  const hundredths = (value: number) => Math.round(value * 100) / 100;
  return { start: hundredths(start), end: hundredths(end), score: Math.round(score * 1000) / 1000 };
}

function translate(error: unknown, log: Logger): unknown {
  if (!(error instanceof ChildExited || error instanceof RequestFailed)) return error;
  if (error instanceof ChildExited && error.killed === 'ended') return requestErrors.server_stopping();
  log.warn({ err: error }, 'a window of audio was given up');
  return engineErrors.engine_stopped('The transcriber stopped and is started again. Send the request again.', {
    retryAfterSeconds: 5,
  });
}
