import { readFile } from 'node:fs/promises';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import { engineErrors } from '../errors.ts';
import type { Tally } from '../tally.ts';
import {
  type ListenOptions,
  type LivePart,
  type LiveTranscript,
  SAMPLE_RATE,
  type TranscriptPart,
  type TurnPart,
} from '../transcribe/transcription-engine.ts';
import { classifyAnswer, classifyError, classifyStatus, type Failure } from './classify-failure.ts';
import { ANSWER_LIMITS } from './limits.ts';
import { createLiveBill } from './live-bill.ts';
import { parseObject } from './parse-json.ts';
import { PartQueue } from './part-queue.ts';
import { toPcm16 } from './pcm.ts';
import { reduceParsed, startStreamed } from './stream-transcript.ts';
import type { KnownTarget } from './target.ts';

const PATH = '/audio/transcriptions/realtime';
const HANDSHAKE_MS = 10_000;
const PING_MS = 30_000;
const CLOSE_MS = 2000;
const MESSAGE_BYTES_MAX = 8 * 1024 * 1024;
/** Parts that may wait for the reader before the server is asked to pause. */
const WAITING_MAX = 64;
/** Bytes on the way to the server before whoever feeds is made to wait. */
const BUFFERED_BYTES_MAX = 256 * 1024;
const PIECE_SAMPLES = SAMPLE_RATE;
/** The server speaks HTTP and has no such socket. */
const NO_SOCKET = new Set([200, 400, 404, 405, 426, 501]);

const TURN_EVENTS: Readonly<Record<string, TurnPart['event']>> = {
  'turn.start': 'start',
  'turn.eager_end': 'eager_end',
  'turn.resume': 'resume',
  'turn.end': 'end',
};
const TurnEvent = z.object({ time_s: z.number(), end_reason: z.enum(['threshold', 'timeout']).optional() });

export type LiveOpening = { live: LiveTranscript } | { failure: Failure } | 'unknown';

type Handshake = { socket: WebSocket } | { status: number } | { error: Error };

/** A live session at a server that speaks Mistral's protocol. */
export async function openLiveSocket(
  target: KnownTarget,
  options: ListenOptions,
  signal: AbortSignal,
  tally: Tally | undefined,
): Promise<LiveOpening> {
  const wanted = await settings(options);
  const shaken = await connect(target, signal);
  if ('status' in shaken) {
    const { status } = shaken;
    return NO_SOCKET.has(status) ? 'unknown' : { failure: classifyStatus(status, undefined, '') };
  }
  if ('error' in shaken) return { failure: classifyError(shaken.error) };
  const { socket } = shaken;
  const session = relay(socket, target, signal, tally);
  try {
    await session.created;
  } catch (error) {
    socket.terminate();
    signal.throwIfAborted();
    return { failure: error instanceof Refused ? error.failure : classifyError(classifyAnswer(error)) };
  }
  socket.send(JSON.stringify({ type: 'session.update', session: wanted }));
  return { live: session.live };
}

async function settings(options: ListenOptions): Promise<object> {
  const { language, contextBias, delayMs, diarize, speakerReferences, turnDetection } = options;
  return {
    audio_format: { encoding: 'pcm_s16le', sample_rate: SAMPLE_RATE },
    ...(language !== undefined && { language }),
    ...(contextBias?.length && { context_bias: contextBias }),
    ...(delayMs !== undefined && { target_streaming_delay_ms: delayMs }),
    ...(diarize && { diarize }),
    ...(speakerReferences && { speaker_references: await readReferences(speakerReferences) }),
    ...(turnDetection && {
      turn_detection: {
        start_threshold: turnDetection.startThreshold,
        eager_end_threshold: turnDetection.eagerEndThreshold,
        end_threshold: turnDetection.endThreshold,
        min_silence_ms: turnDetection.minSilenceMs,
        end_timeout_ms: turnDetection.endTimeoutMs ?? null,
      },
    }),
  };
}

async function readReferences(files: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const recordings: Record<string, string> = {};
  for (const [name, file] of Object.entries(files)) recordings[name] = (await readFile(file)).toString('base64');
  return recordings;
}

async function connect({ origin, basePath, headers, model, timeoutMs }: KnownTarget, signal: AbortSignal) {
  const { WebSocket } = await import('ws');
  signal.throwIfAborted();
  const address = `${origin.replace(/^http/, 'ws')}${basePath}${PATH}?model=${encodeURIComponent(model)}`;
  const { authorization } = headers;
  const socket = new WebSocket(address, {
    headers: authorization === undefined ? {} : { authorization },
    handshakeTimeout: Math.min(timeoutMs, HANDSHAKE_MS),
    followRedirects: false,
    perMessageDeflate: false,
    maxPayload: MESSAGE_BYTES_MAX,
  });
  const leave = () => socket.terminate();
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await new Promise<Handshake>((resolve) => {
      socket.on('error', (error) => resolve({ error }));
      socket.once('open', () => {
        // What the server says at once must wait for its reader.
        socket.pause();
        resolve({ socket });
      });
      socket.once('unexpected-response', (request, response) => {
        resolve({ status: response.statusCode ?? 0 });
        response.resume();
        request.destroy();
      });
    });
  } finally {
    signal.removeEventListener('abort', leave);
    signal.throwIfAborted();
  }
}

/** What the server refuses a session with. */
class Refused extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.error.message);
    this.failure = failure;
  }
}

function relay(socket: WebSocket, target: KnownTarget, signal: AbortSignal, tally: Tally | undefined) {
  const state = startStreamed(false);
  const bill = createLiveBill(tally);
  const created = Promise.withResolvers<void>();
  created.promise.catch(() => undefined);
  const queue = new PartQueue(
    () => socket.isPaused && socket.resume(),
    () => close(),
  );
  let isSilent = false;
  const pings = setInterval(() => {
    if (isSilent) return fail(engineErrors.upstream_timeout());
    isSilent = true;
    socket.ping();
  }, PING_MS);
  pings.unref();
  // Its first words, and those after the last audio, must come in time.
  let patience: NodeJS.Timeout | undefined;
  const expect = () => {
    clearTimeout(patience);
    patience = setTimeout(() => fail(engineErrors.upstream_timeout()), target.timeoutMs);
    patience.unref();
  };
  expect();

  const leave = () => {
    queue.fail(signal.reason);
    created.reject(signal.reason);
    close();
  };
  signal.addEventListener('abort', leave, { once: true });

  function close(): void {
    clearInterval(pings);
    clearTimeout(patience);
    signal.removeEventListener('abort', leave);
    socket.close();
    setTimeout(() => socket.terminate(), CLOSE_MS).unref();
  }

  function fail(error: unknown): void {
    if (queue.isOver) return;
    // Before, whoever opens the session counts it.
    if (isCreated && !(error instanceof Refused)) target.breaker.failed();
    queue.fail(error instanceof Refused ? error.failure.error : classifyAnswer(error));
    created.reject(error);
    close();
  }

  let isCreated = false;
  let isEnding = false;
  function take(data: RawData): void {
    isSilent = false;
    if (queue.isOver) return;
    const event = parseObject((data as Buffer).toString('utf8'), ANSWER_LIMITS.transcription.json);
    if (!event) throw engineErrors.upstream_invalid_response();
    if (event.type === 'error') throw new Refused(failureOf(event.error));
    if (event.type === 'session.created') {
      clearTimeout(patience);
      isCreated = true;
      created.resolve();
    }
    if (isEnding) expect();
    const turn = TURN_EVENTS[String(event.type)];
    if (turn) queue.push([toTurn(turn, event)]);
    else queue.push(reduceParsed(state, event).flatMap((part) => toLive(part, bill.seconds())));
    if (queue.length > WAITING_MAX) socket.pause();
    if (!state.isDone) return;
    bill.wrote(state.outputTokens);
    queue.end();
    close();
  }

  socket.on('message', (data) => {
    try {
      take(data);
    } catch (error) {
      fail(error);
    }
  });
  socket.on('pong', () => {
    isSilent = false;
  });
  socket.on('error', () => fail(engineErrors.upstream_invalid_response()));
  socket.on('close', () => fail(engineErrors.upstream_interrupted()));
  socket.resume();

  /** Resolves once the server has taken most of what was sent before. */
  function send(message: object): void | Promise<void> {
    queue.check();
    if (queue.isOver) return;
    const text = JSON.stringify(message);
    if (socket.bufferedAmount + text.length <= BUFFERED_BYTES_MAX) return socket.send(text);
    // A failure is told by the parts.
    return new Promise((resolve) => socket.send(text, () => resolve()));
  }

  const live: LiveTranscript = {
    async feed(samples) {
      for (let at = 0; at < samples.length; at += PIECE_SAMPLES) {
        const piece = samples.subarray(at, at + PIECE_SAMPLES);
        bill.heard(piece.length);
        await send({ type: 'input_audio.append', audio: toPcm16(piece).toString('base64') });
      }
    },
    flush: async () => send({ type: 'input_audio.flush' }),
    async end() {
      isEnding = true;
      expect();
      // The SDKs do the same: some servers tell the last words only then.
      await send({ type: 'input_audio.flush' });
      await send({ type: 'input_audio.end' });
    },
    parts: queue,
  };
  return { created: created.promise, live };
}

function failureOf(error: unknown): Failure {
  const { code } = (typeof error === 'object' && error !== null ? error : {}) as { code?: unknown };
  const isStatus = typeof code === 'number' && code >= 400 && code < 600;
  return isStatus
    ? classifyStatus(code, undefined, '')
    : { error: engineErrors.upstream_interrupted(), isRequestFault: false, mayRetry: false, isServerFault: false };
}

function toTurn(event: TurnPart['event'], message: object): TurnPart {
  const parsed = TurnEvent.safeParse(message);
  if (!parsed.success) throw engineErrors.upstream_invalid_response();
  const { time_s: seconds, end_reason: reason = 'threshold' } = parsed.data;
  return { kind: 'turn', event, seconds, ...(event === 'end' && { reason }) };
}

function toLive(part: TranscriptPart, seconds: number): LivePart[] {
  switch (part.kind) {
    case 'language':
    case 'text':
    case 'segment':
      return [part];
    case 'end':
      return [{ kind: 'end', seconds }];
    default:
      return [];
  }
}
