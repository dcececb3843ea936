import { CommandFailure } from '../../operator/command-failure.ts';
import type { ApiClient } from '../shell/api-client.ts';

export type SpeechOrder = { input: string; response_format: string; voice_id?: string; model?: string };
export type Spoken = { model: string | null; engine: string | null; audio: AsyncIterable<Uint8Array> };

type SpeechEvent = { type?: string; audio_data?: string; message?: string };

/** The audio of a text, whole or in the pieces of a stream. */
export async function requestSpeech(api: ApiClient, order: SpeechOrder, isStreamed: boolean): Promise<Spoken> {
  const response = await api.fetch('/v1/audio/speech', {
    method: 'POST',
    body: JSON.stringify({ ...order, stream: isStreamed }),
  });
  return {
    model: response.headers.get('tramontane-model'),
    engine: response.headers.get('tramontane-speech-engine'),
    audio: isStreamed ? readDeltas(response) : readWhole(response),
  };
}

async function* readWhole(response: Response): AsyncGenerator<Uint8Array> {
  const { audio_data } = (await response.json()) as { audio_data: string };
  yield Buffer.from(audio_data, 'base64');
}

async function* readDeltas(response: Response): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  let buffer = '';
  for await (const bytes of response.body ?? []) {
    buffer += decoder.decode(bytes, { stream: true });
    const frames = buffer.split('\n\n');
    buffer = frames.pop() ?? '';
    for (const frame of frames) {
      const data = frame.split('\n').find((line) => line.startsWith('data: '));
      if (!data) continue;
      const { type, audio_data, message } = JSON.parse(data.slice('data: '.length)) as SpeechEvent;
      if (type === 'speech.audio.done') return;
      if (audio_data === undefined) throw new CommandFailure(message ?? 'The answer broke off.');
      yield Buffer.from(audio_data, 'base64');
    }
  }
  throw new CommandFailure('The answer broke off before its end.');
}
