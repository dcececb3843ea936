import { requirementsOf } from './requirement.ts';

export const speechRequirements = requirementsOf('speech', {
  'Resources: Speech': {
    'SPEECH-RESPONSE': 'a whole answer is {audio_data} with base64 audio and no other property',
    'SPEECH-DELTA': 'a delta has type speech.audio.delta and an audio chunk in audio_data',
    'SPEECH-DONE': 'the closing item has type speech.audio.done and the usage',
    'SPEECH-STREAM-ITEM': 'a stream item names its event, and data.type is the same word',
    'SPEECH-STREAM-AUDIO': 'the chunks of a stream together are the audio that was asked for',
  },
  'Resources: UsageInfo': {
    'SPEECH-USAGE': 'the usage has the listed fields with their defaults and nothing else',
    'SPEECH-USAGE-PROMPT-DETAILS':
      'prompt token details have messages, cached_tokens and audio_tokens and nothing else',
    'SPEECH-USAGE-MESSAGE': 'message tokens name one of four roles, with the listed defaults, and nothing else',
    'SPEECH-USAGE-COMPLETION-DETAILS': 'completion token details have reasoning_tokens, 0 by default, and nothing else',
  },
  'Endpoints: Speech': {
    'SPEECH-CREATE': 'POST /v1/audio/speech answers 200 application/json',
    'SPEECH-STREAM': 'a streamed request answers 200 text/event-stream',
    'SPEECH-BODY': 'a request without a body is 422',
    'SPEECH-422': 'a request that fails validation is 422',
  },
  'Events: 2': {
    'SPEECH-STREAM-ORDER': 'deltas come first and one done event with the final usage comes last',
  },
  'behaviour: 2': {
    'SPEECH-INPUT': 'input is needed, and one with nothing to say is 422',
    'SPEECH-OPEN': 'unknown fields of a request are not refused',
    'SPEECH-MODEL': 'without a model the default one speaks; an unknown model is 400 invalid_model',
    'SPEECH-VOICE': 'voice_id is the id or slug of a preset or custom voice; another one is 404',
    'SPEECH-REF-AUDIO': 'ref_audio is base64 of a clip to speak like; where nothing can clone it is 400',
    'SPEECH-FORMATS': 'response_format is mp3 by default, or wav, pcm (float32 little-endian), flac or opus',
    'VOICES-LIST': 'GET /v1/audio/voices has limit 1..100 (10), offset (0) and type, and answers a page',
    'VOICES-FIELDS': 'a voice has its name, slug, languages, gender, age, tags, id, created_at, user_id and the rest',
    'VOICES-CREATE': 'POST /v1/audio/voices makes a custom voice of a base64 sample',
    'VOICES-GET': 'GET /v1/audio/voices/{voice_id} answers one voice, by id or slug',
    'VOICES-UPDATE': 'PATCH /v1/audio/voices/{voice_id} changes a custom voice; a preset cannot be changed',
    'VOICES-DELETE': 'DELETE /v1/audio/voices/{voice_id} answers the voice, which is missing then',
    'VOICES-SAMPLE': 'GET /v1/audio/voices/{voice_id}/sample answers audio/wav',
  },
  'decisions: Streams and resume': {
    'SPEECH-CANCEL': 'when the client leaves, synthesis stops and what was used is billed',
  },
});
