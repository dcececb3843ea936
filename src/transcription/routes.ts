import { type AnyRoute, route, sse } from '../kit/http/index.ts';
import { renderTranscription } from './render-transcription.ts';
import { AudioTranscriptionRequest, TranscriptionResponse, TranscriptionStreamEvents } from './schema.ts';
import type { TranscriptionService } from './service.ts';

const MEBIBYTE = 1024 * 1024;
/** Recordings of speakers in base64, in a field or in JSON. */
const FIELD_BYTES_MAX = 16 * MEBIBYTE;

export function transcriptionRoutes(transcription: TranscriptionService): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/v1/audio/transcriptions',
      operationId: 'audio_api_v1_transcriptions_post',
      summary: 'Transcribe audio: its text, language, times and speakers, whole or as events',
      tags: ['audio.transcriptions'],
      permission: 'transcriptions:write',
      bodyBytesMax: FIELD_BYTES_MAX,
      upload: {
        part: 'file',
        isOptional: true,
        repeats: ['context_bias', 'timestamp_granularities'],
        fieldBytesMax: FIELD_BYTES_MAX,
        bytesMax: () => transcription.bytesMax,
        stage: (content, bytesMax) => transcription.stage(content, bytesMax),
      },
      body: AudioTranscriptionRequest,
      response: TranscriptionResponse,
      alsoAnswers: [502, 504],
      streams: TranscriptionStreamEvents,
      handler: async (context) =>
        context.body.stream
          ? sse(await transcription.stream(context, context.body, context.uploaded))
          : renderTranscription(context.body, await transcription.transcribe(context, context.body, context.uploaded)),
    }),
  ];
}
