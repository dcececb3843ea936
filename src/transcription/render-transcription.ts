import { type RawReply, raw } from '../kit/http/index.ts';
import type { AudioTranscriptionRequest, TranscriptionResponse } from './schema.ts';
import { writeSrt, writeVtt } from './write-subtitles.ts';

const TYPES = { text: 'text/plain', srt: 'application/x-subrip', vtt: 'text/vtt' } as const;

/** As the client asked for it: JSON, or plain text of some kind. */
export function renderTranscription(
  { response_format: format }: AudioTranscriptionRequest,
  response: TranscriptionResponse,
): TranscriptionResponse | RawReply {
  if (format == null || format === 'json' || format === 'verbose_json') return response;
  const { segments = [], text } = response;
  const body = format === 'text' ? `${text}\n` : format === 'srt' ? writeSrt(segments) : writeVtt(segments);
  return raw(body, `${TYPES[format]}; charset=utf-8`);
}
