import type { GuardrailService } from '../../guardrails/index.ts';
import type { Clock } from '../../kit/base/clock.ts';
import { createPlaces } from '../../kit/fair-queue/index.ts';
import { type JsonSocket, parseMessage, type SocketReply, socket } from '../../kit/http/index.ts';
import type { Call, Meter } from '../../metering/index.ts';
import type { ListenOptions, LiveTranscript, TurnDetection, TurnPart } from '../../models/index.ts';
import { checkClientModel, tenantOf } from '../../tenants/index.ts';
import { chooseTranscriber, type Transcriber, type TranscribingModels } from '../choose-transcriber.ts';
import { addPart, startTranscript, toResponse } from '../collect-transcript.ts';
import { transcriptionErrors } from '../errors.ts';
import { type Guard, startGuard } from '../guard-transcript.ts';
import { type KeptReferences, keepReferences } from '../keep-references.ts';
import type { AudioStage } from '../stage-audio.ts';
import { type LiveRun, startLiveRun } from './live-run.ts';
import { createSampleReader, type SampleReader } from './read-samples.ts';
import {
  APPEND_BYTES_MAX,
  LiveTranscriptionMessage,
  type LiveTranscriptionSession,
  type SessionChanges,
} from './schema.ts';

/** An open session costs some kilobytes; what it says waits for its turn on the engine. */
const PLACES = { total: 512, perOrganization: 256, perKey: 256 };
const MODEL_RATE = 16_000;

export type LiveTranscriptionService = {
  /** A session: audio comes in while its words go out. */
  open(call: Call, model: string): Promise<SocketReply>;
};

export type LiveTranscriptionPorts = {
  models: TranscribingModels;
  meter: Meter;
  now: Clock;
  /** For recordings of known speakers, while a session is opened. */
  stage: AudioStage;
  guardrails: Pick<GuardrailService, 'check'>;
};

type Listen = (options: ListenOptions, signal: AbortSignal, run: LiveRun) => Promise<LiveTranscript>;

/** What has begun with the first audio. */
type Listening = { reader: SampleReader; transcript: LiveTranscript; relayed: Promise<void> };

type Session = {
  call: Call;
  shown: LiveTranscriptionSession;
  listen: Listen;
  seconds: number;
  references: KeptReferences | undefined;
  listening: Listening | undefined;
};

export function createLiveTranscriptionService({
  models,
  meter,
  now,
  stage,
  guardrails,
}: LiveTranscriptionPorts): LiveTranscriptionService {
  const places = createPlaces(PLACES);

  async function serve(session: Session, messages: JsonSocket): Promise<void> {
    const { call, shown } = session;
    const run = await startLiveRun({ now, meter }, call, shown.model);
    const left = new AbortController();
    const signal = AbortSignal.any([call.signal, left.signal]);
    try {
      await messages.send({ type: 'session.created', session: shown });
      await read(session, messages, run, signal);
      const { reader, transcript, relayed } = session.listening ?? (await begin(session, messages, run, signal));
      await transcript.feed(reader.finish());
      await transcript.end();
      await relayed;
      run.settle();
    } catch (error) {
      throw run.fail(error);
    } finally {
      left.abort();
      await session.references?.discard();
    }
  }

  async function update(session: Session, changes: SessionChanges): Promise<void> {
    const { shown } = session;
    change(shown, changes);
    if (changes.speaker_references === undefined) return;
    await session.references?.discard();
    session.references = undefined;
    const { speaker_references } = changes;
    session.references = await keepReferences(stage, { speaker_references, diarize: shown.diarize === true });
    shown.speaker_references = session.references ? Object.keys(session.references.files) : null;
  }

  async function read(session: Session, socket: JsonSocket, run: LiveRun, signal: AbortSignal): Promise<void> {
    const iterator = socket.messages[Symbol.asyncIterator]();
    for (;;) {
      const { listening } = session;
      // The engine may fail while the client says nothing.
      const next = await firstOf(iterator.next(), listening?.relayed);
      if (next.done) return;
      const message = parseMessage(LiveTranscriptionMessage, next.value);
      switch (message.type) {
        case 'session.update':
          if (listening) throw transcriptionErrors.live_session_begun();
          await update(session, message.session);
          await socket.send({ type: 'session.updated', session: session.shown });
          break;
        case 'input_audio.append': {
          const bytes = Buffer.from(message.audio, 'base64');
          if (bytes.length > APPEND_BYTES_MAX) throw transcriptionErrors.live_audio_too_large(APPEND_BYTES_MAX);
          session.listening ??= await begin(session, socket, run, signal);
          const { reader, transcript, relayed } = session.listening;
          const samples = reader.read(bytes);
          session.seconds += samples.length / MODEL_RATE;
          await run.heard(session.seconds);
          await Promise.race([transcript.feed(samples), relayed]);
          break;
        }
        case 'input_audio.flush':
          await listening?.transcript.flush();
          break;
        case 'input_audio.end':
          return;
      }
    }
  }

  async function begin(session: Session, socket: JsonSocket, run: LiveRun, signal: AbortSignal): Promise<Listening> {
    const { shown, call, listen } = session;
    const options: ListenOptions = {
      tenant: tenantOf(call.scope),
      ...(shown.language !== null && { language: shown.language.toLowerCase() }),
      ...(shown.context_bias !== null && { contextBias: shown.context_bias }),
      ...(shown.target_streaming_delay_ms !== null && { delayMs: shown.target_streaming_delay_ms }),
      ...(shown.diarize && { diarize: true }),
      ...(session.references && { speakerReferences: session.references.files }),
      ...(shown.turn_detection && { turnDetection: toTurnDetection(shown.turn_detection) }),
    };
    const guard = shown.guardrails?.length ? await startGuard(guardrails, call, shown.guardrails) : undefined;
    const transcript = await listen(options, signal, run);
    const relayed = relay(shown.model, transcript, socket, guard);
    // Whoever waits next for it gets the reason.
    relayed.catch(() => undefined);
    return { reader: createSampleReader(shown.audio_format), transcript, relayed };
  }

  return {
    async open(call, name) {
      checkClientModel(call.scope, name);
      const { model, transcription } = chooseTranscriber(models, call.scope.workspace_id, name) as Transcriber;
      if (!transcription.listen) throw transcriptionErrors.model_cannot_listen(model.id);
      const leave = places.take(tenantOf(call.scope));
      if (!leave) throw transcriptionErrors.too_many_live_sessions();
      call.signal.addEventListener('abort', leave, { once: true });
      const shown: LiveTranscriptionSession = {
        request_id: call.requestId,
        model: model.id,
        audio_format: { encoding: 'pcm_s16le', sample_rate: MODEL_RATE },
        target_streaming_delay_ms: null,
        diarize: null,
        context_bias: null,
        language: null,
        speaker_references: null,
        turn_detection: null,
      };
      const listen = transcription.listen.bind(transcription);
      const session: Session = { call, shown, listen, seconds: 0, references: undefined, listening: undefined };
      return socket((messages) => serve(session, messages).finally(leave));
    },
  };
}

function change(shown: LiveTranscriptionSession, changes: SessionChanges): void {
  shown.audio_format = changes.audio_format ?? shown.audio_format;
  shown.target_streaming_delay_ms = changes.target_streaming_delay_ms ?? shown.target_streaming_delay_ms;
  shown.context_bias = changes.context_bias ?? shown.context_bias;
  shown.language = changes.language ?? shown.language;
  shown.diarize = changes.diarize ?? shown.diarize;
  shown.turn_detection = changes.turn_detection ?? shown.turn_detection;
  if (changes.guardrails) shown.guardrails = changes.guardrails;
}

function toTurnDetection(wanted: NonNullable<LiveTranscriptionSession['turn_detection']>): TurnDetection {
  return {
    startThreshold: wanted.start_threshold,
    eagerEndThreshold: wanted.eager_end_threshold,
    endThreshold: wanted.end_threshold,
    minSilenceMs: wanted.min_silence_ms,
    ...(wanted.end_timeout_ms !== null && { endTimeoutMs: wanted.end_timeout_ms }),
  };
}

/** Sends what is heard as it is heard, and in the end all of it. */
async function relay(
  model: string,
  { parts }: LiveTranscript,
  { send }: JsonSocket,
  guard: Guard | undefined,
): Promise<void> {
  const transcript = startTranscript('segment');
  for await (const heard of guard ? guard.watch(parts[Symbol.asyncIterator](), 'utterance') : parts)
    for (const part of heard) {
      if (part.kind === 'end') {
        transcript.seconds = part.seconds;
        continue;
      }
      if (part.kind === 'turn') {
        await send(toTurnEvent(part));
        continue;
      }
      const isBeginning = transcript.text === '';
      const segment = addPart(transcript, part);
      if (part.kind === 'language' && part.language !== null)
        await send({ type: 'transcription.language', audio_language: part.language });
      else if (part.kind === 'text')
        await send({ type: 'transcription.text.delta', text: isBeginning ? part.text.trimStart() : part.text });
      else if (segment) {
        const { text, start, end, speaker_id = null } = segment;
        await send({ type: 'transcription.segment', text, start, end, speaker_id });
      }
    }
  const checked = guard && { guardrails: guard.results };
  await send({ type: 'transcription.done', ...toResponse(model, transcript), ...checked });
}

function toTurnEvent({ event, seconds, reason }: TurnPart): object {
  return { type: `turn.${event}`, time_s: seconds, ...(reason && { end_reason: reason }) };
}

/** The next message, unless what is relayed meanwhile fails. */
async function firstOf<T>(next: Promise<T>, relayed: Promise<void> | undefined): Promise<T> {
  return relayed ? Promise.race([next, relayed.then(() => next)]) : next;
}
