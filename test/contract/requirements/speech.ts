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
  'decisions: Streams and resume': {
    'SPEECH-CANCEL': 'when the client leaves, synthesis stops and what was used is billed',
  },
});
