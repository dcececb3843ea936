import type { Clock } from '../../kit/base/clock.ts';
import { createPlaces } from '../../kit/fair-queue/index.ts';
import { type JsonSocket, parseMessage, type SocketReply, socket } from '../../kit/http/index.ts';
import { type Call, type Meter, type Run, startRun } from '../../metering/index.ts';
import { checkClientModel, tenantOf } from '../../tenants/index.ts';
import type { ChooseVoice, Chosen } from '../choose-voice.ts';
import type { EncodingThread } from '../encode/encoding-thread.ts';
import { encodeSpeech, type Spoken } from '../encode-speech.ts';
import { speechErrors } from '../errors.ts';
import { LiveSpeechMessage, type LiveSpeechSession, type SessionChanges } from '../schema/live-speech.ts';
import { INPUT_CHARACTERS_MAX } from '../schema/speech.ts';
import { speakMetered } from '../speak-metered.ts';
import { createTextFeed, type TextFeed } from '../text-feed.ts';
import { countTokens, estimateTokens, showUsage, soundTokens } from '../usage.ts';

const PLACES = { total: 256, perOrganization: 64, perKey: 32 };
/** What a session is held to cost until its text is known. */
const ESTIMATED_TEXT = 'x'.repeat(400);

export type LiveSpeechService = {
  /** A session: text comes in while sound goes out. */
  open(call: Call, model: string | undefined): Promise<SocketReply>;
};

export type LiveSpeechPorts = { choose: ChooseVoice; encoding: EncodingThread; meter: Meter; now: Clock };

type Session = { shown: LiveSpeechSession; chosen: Chosen; characters: number };

export function createLiveSpeechService({ choose, encoding, meter, now }: LiveSpeechPorts): LiveSpeechService {
  const places = createPlaces(PLACES);

  async function serve(call: Call, session: Session, messages: JsonSocket): Promise<void> {
    const feed = createTextFeed(() => session.shown.streaming_mode === 'long_form');
    const { model } = session.chosen;
    const cost = { kind: 'speech' as const, model: model.id, estimatedTokens: estimateTokens(ESTIMATED_TEXT) };
    const run = await startRun({ now, meter }, call, cost);
    await messages.send({ type: 'session.created', session: session.shown });
    const left = new AbortController();
    const signal = AbortSignal.any([call.signal, left.signal]);
    const reading = read(call, session, feed, messages).finally(() => feed.end());
    // Its failure ends the speaking too, and is the reason that counts.
    reading.catch(() => left.abort());
    try {
      await speak({ scope: call.scope, signal }, session, feed, messages, run);
      await reading;
      run.settle(200);
    } catch (error) {
      feed.end();
      throw run.fail(await reading.then(() => error).catch((reason: unknown) => reason));
    }
  }

  async function read(call: Call, session: Session, feed: TextFeed, { messages, send }: JsonSocket): Promise<void> {
    const take = async (text: string) => {
      session.characters += text.length;
      if (session.characters > INPUT_CHARACTERS_MAX) throw speechErrors.speech_session_full(INPUT_CHARACTERS_MAX);
      await feed.append(text.toWellFormed());
    };
    for await (const given of messages) {
      const message = parseMessage(LiveSpeechMessage, given);
      if (message.type === 'input_text.end') return;
      if (message.type === 'session.update') {
        if (session.characters > 0) throw speechErrors.speech_session_begun();
        await change(call, session, message.session);
        await send({ type: 'session.updated', session: session.shown });
      } else {
        if (message.text) await take(message.text);
        if (message.type === 'input_text.flush') feed.flush();
      }
    }
  }

  async function change(call: Call, session: Session, changes: SessionChanges): Promise<void> {
    const { shown } = session;
    const { voice, ref_audio } = changes;
    if (voice != null || ref_audio != null) {
      session.chosen = await choose(call.scope, { model: shown.model, voice_id: voice, ref_audio });
      shown.voice = ref_audio == null ? session.chosen.voice : null;
      shown.is_ref_audio = ref_audio != null;
    }
    shown.streaming_mode = changes.streaming_mode ?? shown.streaming_mode;
    shown.response_format = changes.response_format ?? shown.response_format;
    shown.expressiveness = changes.expressiveness ?? shown.expressiveness;
  }

  /** One encoder for the session: all deltas together are one file. */
  async function speak(
    { scope, signal }: Pick<Call, 'scope' | 'signal'>,
    session: Session,
    feed: TextFeed,
    { send }: JsonSocket,
    run: Run,
  ): Promise<void> {
    const tenant = tenantOf(scope);
    const spoken: Spoken = { seconds: 0 };
    const texts = feed.texts();
    const first = await texts.next();
    // The voice is settled by the first text.
    const { speech, voice, refAudio } = session.chosen;
    const encoder = encoding.open(session.shown.response_format, speech.sampleRate, { tenant, signal });
    async function* pieces(): AsyncGenerator<Float32Array> {
      for (let next = first; !next.done; next = await texts.next()) {
        await run.admit();
        const request = { text: next.value, voice, tenant, ...(refAudio && { refAudio }) };
        yield* speakMetered(speech, request, signal, run);
      }
    }
    try {
      for await (const bytes of encodeSpeech(pieces(), encoder, speech.sampleRate, spoken)) {
        signal.throwIfAborted();
        await send({ type: 'speech.audio.delta', audio_data: Buffer.from(bytes).toString('base64') });
      }
      const usage = showUsage(countTokens('x'.repeat(session.characters), spoken.seconds));
      await send({ type: 'speech.audio.done', usage });
    } finally {
      run.add(soundTokens(spoken.seconds));
      encoder.close();
    }
  }

  return {
    async open(call, model) {
      checkClientModel(call.scope, model);
      const chosen = await choose(call.scope, { model });
      const leave = places.take(tenantOf(call.scope));
      if (!leave) throw speechErrors.too_many_speech_sessions();
      call.signal.addEventListener('abort', leave, { once: true });
      const shown: LiveSpeechSession = {
        request_id: call.requestId,
        model: chosen.model.id,
        voice: chosen.voice,
        is_ref_audio: false,
        streaming_mode: 'responsive',
        response_format: 'pcm',
        expressiveness: 1,
      };
      return socket((messages) => serve(call, { shown, chosen, characters: 0 }, messages).finally(leave));
    },
  };
}
