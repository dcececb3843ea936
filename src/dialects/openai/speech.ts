import type { SseEvent } from '../../kit/http/index.ts';
import type { Call } from '../../metering/index.ts';
import type { OpenAiSpeechRequest } from '../schema/openai.ts';

/** Voices that clients of this API name without asking; here they are the default voice. */
const THEIR_VOICES = new Set('alloy ash ballad coral echo fable onyx nova sage shimmer verse marin cedar'.split(' '));
const WAV_HEADER_BYTES = 44;
const WAV_RATE_AT = 24;

const MEDIA_TYPES = { mp3: 'audio/mpeg', opus: 'audio/opus', flac: 'audio/flac', wav: 'audio/wav' } as const;
const SAMPLES = 'audio/pcm';

export const SOUND_TYPES = [...Object.values(MEDIA_TYPES), SAMPLES];

export type Sound = { bytes: Buffer; mediaType: string };

export function toSpeechRequest(body: OpenAiSpeechRequest, { setHeader }: Pick<Call, 'setHeader'>) {
  const voice = typeof body.voice === 'string' ? body.voice : body.voice.id;
  const isTheirs = THEIR_VOICES.has(voice);
  if (isTheirs) setHeader('tramontane-ignored', 'voice');
  const format = body.response_format ?? 'mp3';
  return {
    model: body.model,
    input: body.input,
    stream: false,
    voice_id: isTheirs ? null : voice,
    // Raw samples of this API have sixteen bits, as a WAVE file's.
    response_format: format === 'pcm' && body.stream_format !== 'sse' ? ('wav' as const) : format,
  };
}

export function toSound({ response_format }: OpenAiSpeechRequest, file: readonly Uint8Array[]): Sound {
  const bytes = Buffer.concat(file);
  const format = response_format ?? 'mp3';
  if (format !== 'pcm') return { bytes, mediaType: MEDIA_TYPES[format] };
  const rate = bytes.readUInt32LE(WAV_RATE_AT);
  return { bytes: bytes.subarray(WAV_HEADER_BYTES), mediaType: `${SAMPLES};rate=${rate}` };
}

type NativeEvent = { type: string; audio_data?: string; usage?: Record<string, number | null> };

/** The sound in pieces while it is spoken. */
export async function* toSpeechEvents(events: AsyncIterable<SseEvent>): AsyncGenerator<SseEvent> {
  for await (const { data } of events) {
    const { type, audio_data: audio, usage } = data as NativeEvent;
    if (audio !== undefined) yield { data: { type, audio } };
    else {
      const input_tokens = usage?.prompt_tokens ?? 0;
      const output_tokens = usage?.completion_tokens ?? 0;
      yield { data: { type, usage: { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens } } };
    }
  }
}
