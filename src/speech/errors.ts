import { defineErrors, missing } from '../kit/http/index.ts';
import { adviseConfiguration } from '../models/index.ts';

export const speechErrors = defineErrors({
  voice_not_found: missing('voice'),
  no_speech_model: {
    status: 400,
    fix: 'Ask the operator to add one.',
    message: `This server has no model that can speak. ${adviseConfiguration('speech')}`,
  },
  model_cannot_speak: {
    status: 400,
    when: 'The model does not speak.',
    fix: 'Choose one whose card has `audio_speech`.',
    message: (model: string) =>
      `The model '${model}' cannot speak. Choose one whose card has audio_speech. ${adviseConfiguration('speech')}`,
  },
  two_voices: { status: 400, fix: 'Send one of them.', message: 'Send voice_id or ref_audio, not both.' },
  voice_of_other_model: {
    status: 400,
    when: 'The voice belongs to another model.',
    fix: 'Ask for that model.',
    message: (voice: string, model: string) =>
      `The voice '${voice}' belongs to the model '${model}'. Ask for that model.`,
  },
  cloning_unsupported: {
    status: 400,
    when: 'The model cannot clone voices.',
    fix: 'Choose a preset voice from `GET /v1/audio/voices`.',
  },
  audio_too_long: {
    status: 400,
    when: 'The audio does not fit into one response.',
    fix: 'Ask for it with `stream: true`, or as mp3 or opus.',
    message: (mebibytes: number) =>
      `The audio is longer than the ${mebibytes} MiB of a whole answer. Ask for it with stream: true, or as mp3 or opus.`,
  },
  preset_voice: {
    status: 403,
    fix: 'Change custom voices only.',
    message: 'This voice comes with the server; only custom voices can be changed or deleted.',
  },
  voice_slug_taken: {
    status: 409,
    when: 'Another voice has this slug.',
    fix: 'Choose another slug.',
    message: (slug: string) => `There is a voice '${slug}' already. Choose another slug.`,
  },
  voice_sample_missing: {
    status: 500,
    fix: 'Report the request id to the operator, who restores the sample from a backup or shares the data dir.',
    message: 'The sample of this voice is missing. Report the request id to the operator.',
  },
  too_many_speech_sessions: {
    status: 429,
    when: 'Too many live speech sessions of this key, of its organization or of the server are open.',
    fix: 'End one, or wait.',
    message: 'Too many live speech sessions are open. End one of them first.',
  },
  speech_session_begun: {
    status: 400,
    when: 'A live speech session gets a `session.update` after its first text.',
    fix: 'Send `session.update` before any text, or open another session.',
    message: 'The session has its first text already. Send session.update before any text.',
  },
  speech_session_full: {
    status: 400,
    when: 'A live speech session got more text than one session may have.',
    fix: 'Send `input_text.end` and go on in another session.',
    message: (characters: number) =>
      `One session may have ${characters} characters. Send input_text.end and go on in another session.`,
  },
  speech_failed: {
    status: 500,
    fix: 'Report the request id to the operator.',
    message: 'Something went wrong on our side. Report the request id to the operator.',
  },
  invalid_audio: {
    status: 422,
    when: 'A sample of a voice is not base64, too large, or neither WAV nor MP3.',
    fix: 'Send a few seconds of WAV or MP3 as base64.',
  },
  nothing_to_say: { status: 422, when: '`input` has no word that can be spoken.', fix: 'Send at least one word.' },
});
