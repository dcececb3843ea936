import { type AnyRoute, route, sse } from '../kit/http/index.ts';
import { CreateRealtimeSessionRequest, CreateRealtimeSessionResponse } from './client-sessions/schema.ts';
import type { ClientSessionService } from './client-sessions/service.ts';
import type { LiveTranscriptionService } from './live/live-service.ts';
import { LiveTranscriptionQuery } from './live/schema.ts';
import { renderTranscription, TRANSCRIPT_TYPES } from './render-transcription.ts';
import { AudioTranscriptionRequest, TranscriptionResponse, TranscriptionStreamEvents } from './schema.ts';
import type { TranscriptionService } from './service.ts';

const MEBIBYTE = 1024 * 1024;
/** Recordings of speakers in base64, in a field or in JSON. */
const FIELD_BYTES_MAX = 16 * MEBIBYTE;

export function liveTranscriptionRoutes(live: LiveTranscriptionService, sessions: ClientSessionService): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/audio/transcriptions/realtime',
      operationId: 'live_transcription_v1_audio_transcriptions_realtime_get',
      summary: 'WebSocket: audio comes in while its words go out',
      tags: ['audio.transcriptions'],
      permission: 'transcriptions:write',
      surface: 'live',
      query: LiveTranscriptionQuery,
      socket: true,
      handler: (context) => live.open(context, context.query.model),
    }),
    route({
      method: 'POST',
      path: '/v1/client/sessions',
      operationId: 'create_client_session_v1_client_sessions_post',
      summary: 'A short-lived token with which a browser may open one kind of live session',
      tags: ['beta.realtime_sessions'],
      permission: 'transcriptions:write',
      status: 201,
      body: CreateRealtimeSessionRequest,
      response: CreateRealtimeSessionResponse,
      handler: ({ scope, body }) => sessions.create(scope, body),
    }),
  ];
}

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
      downloads: TRANSCRIPT_TYPES,
      alsoAnswers: [502, 504],
      streams: TranscriptionStreamEvents,
      handler: async (context) =>
        context.body.stream
          ? sse(await transcription.stream(context, context.body, context.uploaded))
          : renderTranscription(context.body, await transcription.transcribe(context, context.body, context.uploaded)),
    }),
  ];
}
