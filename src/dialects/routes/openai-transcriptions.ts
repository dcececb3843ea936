import { type AnyRoute, route, sse } from '../../kit/http/index.ts';
import { TRANSCRIPT_TYPES } from '../../transcription/index.ts';
import {
  OpenAiTranscription,
  OpenAiTranscriptionEvent,
  OpenAiTranscriptionRequest,
  OpenAiTranslationRequest,
} from '../schema/openai-transcriptions.ts';
import type { OpenAiTranscriptionService } from '../service/openai-transcriptions.ts';

/** Recordings of speakers in base64. */
const FIELD_BYTES_MAX = 16 * 1024 * 1024;

export function openAiTranscriptionRoutes(transcriptions: OpenAiTranscriptionService): AnyRoute[] {
  const upload = {
    part: 'file',
    repeats: ['timestamp_granularities', 'include', 'known_speaker_names', 'known_speaker_references'],
    fieldBytesMax: FIELD_BYTES_MAX,
    bytesMax: () => transcriptions.bytesMax,
    stage: (content: AsyncIterable<Uint8Array>, bytesMax: number) => transcriptions.stage(content, bytesMax),
  };
  const common = { tags: ['openai'], permission: 'transcriptions:write', bodyBytesMax: FIELD_BYTES_MAX };
  return [
    route({
      ...common,
      method: 'POST',
      path: '/openai/v1/audio/transcriptions',
      operationId: 'openai_audio_transcriptions_create',
      summary: 'Transcribe audio: text, subtitles or JSON, whole or as events',
      upload,
      body: OpenAiTranscriptionRequest,
      response: OpenAiTranscription,
      downloads: TRANSCRIPT_TYPES,
      alsoAnswers: [404, 502, 504],
      streams: OpenAiTranscriptionEvent,
      handler: async (call) =>
        call.body.stream
          ? sse(await transcriptions.stream(call, call.body, call.upload))
          : transcriptions.transcribe(call, call.body, call.upload),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/openai/v1/audio/translations',
      operationId: 'openai_audio_translations_create',
      summary: 'Refused: speech is written down in its own language',
      upload: { ...upload, isOptional: true },
      body: OpenAiTranslationRequest,
      response: OpenAiTranscription,
      handler: () => transcriptions.translate(),
    }),
  ];
}
