import { ApiError, type SseEvent, ValidationFailed } from '../kit/http/index.ts';
import type { Run } from '../metering/index.ts';
import type { RemoteEncoder } from './encode/encoding-thread.ts';
import { encodeSpeech, keepWhole, type Spoken } from './encode-speech.ts';
import { countTokens, showUsage } from './usage.ts';

/** A request that was admitted, and the speech that it will be answered with. */
export type Speech = {
  text: string;
  pieces: AsyncIterable<Float32Array>;
  encoder: RemoteEncoder;
  sampleRate: number;
  run: Run;
  signal: AbortSignal;
};

/** The bytes of the file, at most so many. What fails is told to the ledger, and what was spoken until then with it. */
export async function collectSpeech(speech: Speech, bytesMax: number): Promise<Uint8Array[]> {
  const { text, run, encoder } = speech;
  const spoken: Spoken = { seconds: 0 };
  try {
    const file = await keepWhole(encodeSpeech(speech.pieces, encoder, speech.sampleRate, spoken), bytesMax);
    if (!file) throw tooLong(bytesMax);
    if (spoken.seconds === 0) throw nothingToSay(text);
    run.settle(200, countTokens(text, spoken.seconds));
    return file;
  } catch (error) {
    throw run.fail(error, countTokens(text, spoken.seconds));
  } finally {
    encoder.close();
  }
}

/** Waits for the first bytes, so that whatever fails before them is an ordinary HTTP error. */
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
    throw run.fail(error, countTokens(text, spoken.seconds));
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
    const tokens = countTokens(text, spoken.seconds);
    run.settle(200, tokens);
    yield { event: 'speech.audio.done', data: { type: 'speech.audio.done', usage: showUsage(tokens) } };
  } catch (error) {
    run.fail(error, countTokens(text, spoken.seconds));
    if (signal.aborted) return;
    yield errorEvent(error);
    // The server logs what it does not know; the client has been told already.
    if (!(error instanceof ApiError)) throw error;
  } finally {
    // The client left; after a settled end this is not heard.
    run.fail(undefined, countTokens(text, spoken.seconds));
    await rest.return(undefined);
    encoder.close();
  }
}

function delta(bytes: Uint8Array): SseEvent {
  const { buffer, byteOffset, byteLength } = bytes;
  const audio_data = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString('base64');
  return { event: 'speech.audio.delta', data: { type: 'speech.audio.delta', audio_data } };
}

function errorEvent(error: unknown): SseEvent {
  const { message, type, code } =
    error instanceof ApiError
      ? error
      : new ApiError(500, 'Something went wrong on our side. Report the request id to the operator.');
  return { event: 'error', data: { object: 'error', message, type, param: null, code } };
}

function nothingToSay(input: string): ValidationFailed {
  const msg = 'Value error, there is nothing to say: the input needs at least one word';
  return new ValidationFailed([{ type: 'value_error', loc: ['body', 'input'], msg, input, ctx: { error: {} } }]);
}

function tooLong(bytesMax: number): ApiError {
  const most = Math.floor(bytesMax / 1024 / 1024);
  return new ApiError(
    400,
    `The audio is longer than the ${most} MiB of a whole answer. Ask for it with stream: true, or as mp3 or opus.`,
  );
}
