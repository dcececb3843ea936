import { queryOptions } from '@tanstack/react-query';
import type { ModelCard } from '../../../src/models/schema.ts';
import type { TranscriptionResponse, TranscriptionSegmentChunk } from '../../../src/transcription/schema.ts';
import { ApiError, api } from './api.ts';
import { openMicrophone } from './microphone.ts';

/** A connection that is so far behind will not catch up. */
const BEHIND_BYTES_MAX = 4 * 1024 * 1024;

export type Dictation = {
  /** Ends the recording; the last words still come. */
  stop(): void;
  /** Ends everything at once. */
  cancel(): void;
};

export type DictationEvents = {
  onText(text: string): void;
  onSegment?(segment: TranscriptionSegmentChunk): void;
  /** How loud it is, from 0 to 1. */
  onLevel?(level: number): void;
  /** Once, also after `cancel`: with the whole, or with why there is none. */
  onEnd(end: { whole?: TranscriptionResponse; error?: unknown }): void;
};

type ServerMessage =
  | { type: 'session.created' | 'session.updated' | 'transcription.language' }
  | { type: 'transcription.text.delta'; text: string }
  | ({ type: 'transcription.segment' } & Omit<TranscriptionSegmentChunk, 'type'>)
  | ({ type: 'transcription.done' } & TranscriptionResponse)
  | { type: 'error'; error: { message: string; code: number } };

/** Models that follow live audio, without other names for them. */
export const liveModels = queryOptions({
  queryKey: ['models'],
  queryFn: () => api.get<{ data?: ModelCard[] }>('/v1/models'),
  select: ({ data = [] }) =>
    data.filter((card) => card.capabilities.audio_transcription_realtime && !('alias_of' in card)).map(({ id }) => id),
});

/** What the microphone hears, as words. The session opens with a token of a minute, because a socket has no headers. */
export async function startDictation(
  { model, language }: { model: string; language?: string | undefined },
  events: DictationEvents,
): Promise<Dictation> {
  let socket: WebSocket | undefined;
  let isOver = false;
  let isReady = false;
  const early: Float32Array[] = [];
  const microphone = await openMicrophone((samples) => {
    events.onLevel?.(loudness(samples));
    if (isReady) sendSamples(samples);
    else early.push(samples);
  });
  const send = (message: object) => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify(message));
  const sendSamples = (samples: Float32Array) => {
    send({ type: 'input_audio.append', audio: toBase64(samples) });
    if (socket && socket.bufferedAmount > BEHIND_BYTES_MAX)
      end({ error: new ApiError(0, 'The connection is too slow for live audio.') });
  };
  const end = (how: Parameters<DictationEvents['onEnd']>[0]) => {
    if (isOver) return;
    isOver = true;
    microphone.stop();
    socket?.close();
    events.onEnd(how);
  };
  const take = (message: ServerMessage) => {
    switch (message.type) {
      case 'session.created': {
        const audio_format = { encoding: 'pcm_s16le', sample_rate: microphone.sampleRate };
        send({ type: 'session.update', session: { audio_format, ...(language ? { language } : {}) } });
        isReady = true;
        for (const samples of early.splice(0)) sendSamples(samples);
        return;
      }
      case 'transcription.text.delta':
        return events.onText(message.text);
      case 'transcription.segment':
        return events.onSegment?.({ ...message, type: 'transcription_segment' });
      case 'transcription.done':
        return end({ whole: message });
      case 'error':
        return end({ error: new ApiError(message.error.code, message.error.message) });
    }
  };
  try {
    const session = await api.post<{ client_secret: { value: string } }>('/v1/client/sessions', {
      model,
      purpose: 'realtime',
    });
    const address = new URL('/v1/audio/transcriptions/realtime', location.href);
    address.protocol = address.protocol.replace('http', 'ws');
    address.searchParams.set('model', model);
    socket = new WebSocket(address, ['tramontane', `bearer.${session.client_secret.value}`]);
  } catch (error) {
    microphone.stop();
    throw error;
  }
  socket.onmessage = ({ data }: MessageEvent<string>) => take(JSON.parse(data) as ServerMessage);
  socket.onclose = () => end({ error: new ApiError(0, 'The connection to the server was lost.') });
  return {
    stop() {
      microphone.stop();
      send({ type: 'input_audio.end' });
      if (!isReady) end({});
    },
    cancel: () => end({}),
  };
}

function loudness(samples: Float32Array): number {
  const mean = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  return Math.min(1, Math.sqrt(mean) * 5);
}

/** Sixteen bits, little-endian. */
function toBase64(samples: Float32Array): string {
  const view = new DataView(new ArrayBuffer(samples.length * 2));
  for (const [at, sample] of samples.entries()) view.setInt16(at * 2, Math.max(-1, Math.min(1, sample)) * 0x7fff, true);
  let text = '';
  for (const byte of new Uint8Array(view.buffer)) text += String.fromCharCode(byte);
  return btoa(text);
}
