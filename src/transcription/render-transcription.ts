import { writeSrt, writeVtt } from '../kit/base/subtitles.ts';
import { type RawReply, raw } from '../kit/http/index.ts';
import type { AudioTranscriptionRequest, TranscriptionResponse } from './schema.ts';

const TYPES = { text: 'text/plain', srt: 'application/x-subrip', vtt: 'text/vtt' } as const;

/** Of a transcription that is not JSON. */
export const TRANSCRIPT_TYPES = Object.values(TYPES);

/** As the client asked for it: JSON, or plain text of some kind. */
export function renderTranscription(
  { response_format: format }: Pick<AudioTranscriptionRequest, 'response_format'>,
  response: TranscriptionResponse,
): TranscriptionResponse | RawReply {
  if (format == null || format === 'json' || format === 'verbose_json') return response;
  const { segments = [], text } = response;
  const cues = segments.map(({ start, end, text: line, speaker_id }) => ({
    start,
    end,
    text: speaker_id == null ? line : `${speaker_id}: ${line}`,
  }));
  const body = format === 'text' ? `${text}\n` : format === 'srt' ? writeSrt(cues) : writeVtt(cues);
  return raw(body, `${TYPES[format]}; charset=utf-8`);
}
