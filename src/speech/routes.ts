import { type AnyRoute, raw, route, sse } from '../kit/http/index.ts';
import { AUDIO_BYTES_MAX } from './parse-audio.ts';
import { renderResponse } from './render-response.ts';
import { LiveSpeechQuery } from './schema/live-speech.ts';
import { SpeechRequest, SpeechResponse, SpeechStreamEvent } from './schema/speech.ts';
import {
  CustomVoiceParams,
  VoiceCreateRequest,
  VoiceListPage,
  VoiceListResponse,
  VoiceParams,
  VoiceResponse,
  VoicesQuery,
  VoicesSearchQuery,
  VoiceUpdateRequest,
} from './schema/voices.ts';
import type { LiveSpeechService } from './service/live-speech.ts';
import type { SpeechService } from './service/speech.ts';
import type { VoiceService } from './service/voices.ts';

/** The audio as base64, and room for the words around it. */
const BODY_BYTES_MAX = Math.ceil((AUDIO_BYTES_MAX * 4) / 3) + 2 * 1024 * 1024;

export function speechRoutes(speech: SpeechService, live: LiveSpeechService): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/v1/audio/speech/realtime',
      operationId: 'live_speech_v1_audio_speech_realtime_get',
      summary: 'WebSocket: text comes in while its sound goes out',
      tags: ['audio.speech'],
      permission: 'speech:write',
      surface: 'live',
      query: LiveSpeechQuery,
      socket: true,
      handler: (context) => live.open(context, context.query.model),
    }),
    route({
      method: 'POST',
      path: '/v1/audio/speech',
      operationId: 'speech_v1_audio_speech_post',
      summary: 'Say a text: the audio whole, or as events while it is spoken',
      tags: ['audio.speech'],
      permission: 'speech:write',
      bodyBytesMax: BODY_BYTES_MAX,
      body: SpeechRequest,
      response: SpeechResponse,
      alsoAnswers: [502, 504],
      streams: SpeechStreamEvent,
      handler: async (context) =>
        context.body.stream
          ? sse(await speech.stream(context, context.body))
          : renderResponse(await speech.speak(context, context.body)),
    }),
  ];
}

export function voiceRoutes(voices: VoiceService): AnyRoute[] {
  const read = { tags: ['audio.voices'], permission: 'voices:read' };
  const write = { tags: ['audio.voices'], permission: 'voices:write' };
  return [
    route({
      ...read,
      method: 'GET',
      path: '/v1/audio/voices',
      operationId: 'list_voices_v1_audio_voices_get',
      summary: 'The voices of the workspace, newest first, then those of the engines',
      query: VoicesQuery,
      response: VoiceListResponse,
      handler: ({ scope, query }) => voices.list(scope, query),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v2/audio/voices',
      operationId: 'audio_v2_voices_list',
      summary: 'Search voices by name, language, gender and kind, page by page',
      query: VoicesSearchQuery,
      response: VoiceListPage,
      handler: ({ scope, query }) => voices.search(scope, query),
    }),
    route({
      ...write,
      method: 'POST',
      path: '/v1/audio/voices',
      operationId: 'create_voice_v1_audio_voices_post',
      summary: 'Make a custom voice from a sample of it',
      creates: true,
      bodyBytesMax: BODY_BYTES_MAX,
      body: VoiceCreateRequest,
      response: VoiceResponse,
      handler: ({ scope, body }) => voices.create(scope, body),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/audio/voices/:voice_id',
      operationId: 'get_voice_v1_audio_voices__voice_id__get',
      summary: 'One voice, by id or slug',
      params: VoiceParams,
      response: VoiceResponse,
      handler: ({ scope, params }) => voices.get(scope, params.voice_id),
    }),
    route({
      ...write,
      method: 'PATCH',
      path: '/v1/audio/voices/:voice_id',
      operationId: 'update_voice_v1_audio_voices__voice_id__patch',
      summary: 'Change what is said about a custom voice',
      params: CustomVoiceParams,
      body: VoiceUpdateRequest,
      response: VoiceResponse,
      handler: ({ scope, params, body }) => voices.update(scope, params.voice_id, body),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/v1/audio/voices/:voice_id',
      operationId: 'delete_voice_v1_audio_voices__voice_id__delete',
      summary: 'Delete a custom voice and its sample',
      params: CustomVoiceParams,
      response: VoiceResponse,
      handler: ({ scope, params }) => voices.remove(scope, params.voice_id),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/audio/voices/:voice_id/sample',
      operationId: 'get_voice_sample_audio_v1_audio_voices__voice_id__sample_get',
      summary: 'How a voice sounds',
      params: VoiceParams,
      downloads: 'audio/wav',
      handler: async (context) =>
        raw(await voices.sample(context, context.params.voice_id), 'audio/wav', {
          'x-content-type-options': 'nosniff',
          'cache-control': 'private, no-store',
        }),
    }),
  ];
}
