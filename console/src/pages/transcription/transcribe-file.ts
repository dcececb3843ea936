import type { TranscriptionResponse } from '../../../../src/transcription/schema.ts';
import { ApiError, api } from '../../api/api.ts';
import { createEventParser } from '../../api/stream.ts';

export type FileSetup = { model: string; language: string; diarize: boolean };
export type FileProgress = { seconds: number; total: number | undefined; text: string };

type StreamEvent =
  | { type: 'transcription.segment'; end: number }
  | { type: 'transcription.text.delta'; text: string }
  | ({ type: 'transcription.done' } & TranscriptionResponse)
  | { object: 'error'; message: string; type: string };

/** Sends a file and follows its events. */
export async function transcribeFile(
  file: File,
  { model, language, diarize }: FileSetup,
  onProgress: (progress: FileProgress) => void,
  signal: AbortSignal,
): Promise<TranscriptionResponse> {
  const form = new FormData();
  form.append('model', model);
  form.append('stream', 'true');
  form.append('timestamp_granularities', 'segment');
  if (language) form.append('language', language);
  if (diarize) form.append('diarize', 'true');
  form.append('file', file, file.name);
  const response = await api.raw('POST', '/v1/audio/transcriptions', form, { signal });
  const known = Number(response.headers.get('tramontane-audio-seconds'));
  const progress = { seconds: 0, total: known > 0 ? known : undefined, text: '' };
  const parse = createEventParser();
  const decoder = new TextDecoder();
  let whole: TranscriptionResponse | undefined;
  for await (const chunk of response.body ?? [])
    for (const { data } of parse(decoder.decode(chunk, { stream: true }))) {
      const event = JSON.parse(data) as StreamEvent;
      if ('object' in event) throw new ApiError(502, event.message);
      if (event.type === 'transcription.done') whole = event;
      if (event.type === 'transcription.segment') progress.seconds = event.end;
      if (event.type === 'transcription.text.delta') progress.text += event.text;
      onProgress({ ...progress });
    }
  if (!whole) throw new ApiError(0, 'The connection was lost before the end.');
  return whole;
}
