import { ApiError, type SseEvent } from '../kit/http/index.ts';
import type { Run } from '../metering/index.ts';
import type { RemoteEncoder } from './encode/encoding-thread.ts';
import { encodeSpeech, keepWhole, type Spoken } from './encode-speech.ts';
import { speechErrors } from './errors.ts';
import { countTokens, showUsage, soundTokens } from './usage.ts';

/** A request that was admitted, and the speech that it will be answered with. */
export type Speech = {
  text: string;
  pieces: AsyncIterable<Float32Array>;
  encoder: RemoteEncoder;
  sampleRate: number;
  run: Run;
  signal: AbortSignal;
};

/** The bytes of the whole file. A failure goes to the ledger with what was spoken until then. */
export async function collectSpeech(speech: Speech, bytesMax: number): Promise<Uint8Array[]> {
  const { text, run, encoder } = speech;
  const spoken: Spoken = { seconds: 0 };
  try {
    const file = await keepWhole(encodeSpeech(speech.pieces, encoder, speech.sampleRate, spoken), bytesMax);
    if (!file) throw speechErrors.audio_too_long(Math.floor(bytesMax / 1024 / 1024));
    if (spoken.seconds === 0) throw nothingToSay(text);
    run.add(soundTokens(spoken.seconds));
    run.settle(200);
    return file;
  } catch (error) {
    run.add(soundTokens(spoken.seconds));
    throw run.fail(error);
  } finally {
    encoder.close();
  }
}

/** Waits for the first bytes, so that a failure before them is an ordinary HTTP error. */
export async function openSpeechStream(speech: Speech): Promise<AsyncGenerator<SseEvent>> {
  const { text, run, encoder } = speech;
  const spoken: Spoken = { seconds: 0 };
  const encoded = encodeSpeech(speech.pieces, encoder, speech.sampleRate, spoken);
  try {
    const first = await encoded.next();
    if (first.done) throw nothingToSay(text);
    return relay(first.value, encoded, spoken, speech);
  } catch (error) {
    encoder.close();
    run.add(soundTokens(spoken.seconds));
    throw run.fail(error);
  }
}

async function* relay(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array>,
  spoken: Spoken,
  { text, run, encoder, signal }: Speech,
): AsyncGenerator<SseEvent> {
  try {
    yield delta(first);
    for await (const bytes of rest) yield delta(bytes);
    run.add(soundTokens(spoken.seconds));
    run.settle(200);
    const usage = showUsage(countTokens(text, spoken.seconds));
    yield { event: 'speech.audio.done', data: { type: 'speech.audio.done', usage } };
  } catch (error) {
    run.add(soundTokens(spoken.seconds));
    run.fail(error);
    if (signal.aborted) return;
    yield errorEvent(error);
    // The server logs unknown errors; the client has its event already.
    if (!(error instanceof ApiError)) throw error;
  } finally {
    try {
      await rest.return(undefined);
    } finally {
      // The client left; after a settled run this does nothing.
      run.add(soundTokens(spoken.seconds));
      run.fail(undefined);
      encoder.close();
    }
  }
}

function delta(bytes: Uint8Array): SseEvent {
  const { buffer, byteOffset, byteLength } = bytes;
  const audio_data = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString('base64');
  return { event: 'speech.audio.delta', data: { type: 'speech.audio.delta', audio_data } };
}

function errorEvent(error: unknown): SseEvent {
  const { message, type, wireCode: code } = error instanceof ApiError ? error : speechErrors.speech_failed();
  return { event: 'error', data: { object: 'error', message, type, param: null, code } };
}

function nothingToSay(input: string): Error {
  const msg = 'Value error, there is nothing to say: the input needs at least one word';
  return speechErrors.nothing_to_say(['body', 'input'], msg, input, { error: {} });
}
