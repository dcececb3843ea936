import { requirementsOf } from './requirement.ts';

export const transcriptionRequirements = requirementsOf('transcription', {
  'behaviour: Transcription': {
    'TRANSCRIPTION-CREATE': 'POST /v1/audio/transcriptions answers model, text, language, segments and usage',
    'TRANSCRIPTION-SOURCE': 'the audio is a file of the form, a file id or an address, and exactly one of them',
    'TRANSCRIPTION-TIMES':
      'timestamp_granularities segment or word gives segments with start and end; words come as segments',
    'TRANSCRIPTION-STREAM': 'the events are transcription.language, .segment, .text.delta and .done, in this order',
    'TRANSCRIPTION-BIAS': 'context_bias is a list of words without spaces and commas',
    'TRANSCRIPTION-SPEAKERS':
      'diarize gives segments a speaker_id; speaker_references name known speakers and need diarize',
    'TRANSCRIPTION-FORMATS': 'prompt and response_format of other clients are understood',
    'TRANSCRIPTION-GUARDRAILS': 'guardrails check what is spoken before the client gets it',
    'TRANSCRIPTION-USAGE': 'usage and the ledger count the seconds of the audio',
    'TRANSCRIPTION-BATCH': 'a batch job of the endpoint /v1/audio/transcriptions transcribes files',
    'TRANSCRIPTION-CHAT': 'input_audio of a message is heard, or transcribed for a model that does not hear',
  },
});
