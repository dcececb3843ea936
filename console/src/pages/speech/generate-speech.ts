import { api } from '../../api/api.ts';

export const formats = ['mp3', 'wav', 'flac', 'opus', 'pcm'] as const;
export type Format = (typeof formats)[number];
export type Recording = {
  url: string;
  bytes: number;
  format: Format;
  text: string;
  tookMs: number;
  model: string | null;
  engine: string | null;
};

/** MIME types for playback; raw samples have none. */
const types: Record<Format, string> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  opus: 'audio/ogg; codecs=opus',
  pcm: 'application/octet-stream',
};

export async function generateSpeech(request: {
  input: string;
  model: string;
  voice: string;
  format: Format;
}): Promise<Recording> {
  const begun = performance.now();
  const response = await api.raw('POST', '/v1/audio/speech', {
    input: request.input,
    response_format: request.format,
    ...(request.model ? { model: request.model } : {}),
    ...(request.voice ? { voice_id: request.voice } : {}),
  });
  const { audio_data } = (await response.json()) as { audio_data: string };
  const sound = Uint8Array.from(atob(audio_data), (letter) => letter.charCodeAt(0));
  return {
    url: URL.createObjectURL(new Blob([sound], { type: types[request.format] })),
    bytes: sound.length,
    format: request.format,
    text: request.input,
    tookMs: performance.now() - begun,
    model: response.headers.get('tramontane-model'),
    engine: response.headers.get('tramontane-speech-engine'),
  };
}
