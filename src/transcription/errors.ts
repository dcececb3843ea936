import { defineErrors } from '../kit/http/index.ts';
import { adviseConfiguration } from '../models/index.ts';

export const transcriptionErrors = defineErrors({
  no_transcription_model: {
    status: 400,
    fix: 'Ask the operator to add one.',
    message: `This server has no model that transcribes. ${adviseConfiguration('transcription')}`,
  },
  model_cannot_transcribe: {
    status: 400,
    when: 'The model does not transcribe.',
    fix: 'Choose one whose card has `audio_transcription`.',
    message: (model: string) =>
      `The model '${model}' cannot transcribe. Choose one whose card has audio_transcription. ${adviseConfiguration('transcription')}`,
  },
  audio_source_invalid: {
    status: 422,
    when: 'The request has no audio, or more than one of `file`, `file_url` and `file_id`.',
    fix: 'Send exactly one of them.',
  },
  speaker_references_invalid: {
    status: 422,
    when: '`speaker_references` came without `diarize`, or one of them is not a recording in base64.',
    fix: 'Set `diarize` to true, and send each recording as base64 or as a data address.',
  },
  stream_format_invalid: {
    status: 422,
    when: 'A stream was asked for in a `response_format` that is one text.',
    fix: 'Leave out `stream`, or `response_format`.',
  },
  audio_fetch_failed: {
    status: 400,
    when: 'The audio could not be fetched from its address.',
    fix: 'Check that the address is public and answers 200.',
  },
  audio_base64_invalid: {
    status: 400,
    when: 'Audio in a message is neither base64 nor an http address.',
    fix: 'Send the sound itself in base64, or its address.',
  },
  audio_file_too_large: {
    status: 413,
    when: 'The audio file is larger than this server takes.',
    fix: 'Send a shorter or a compressed file.',
    message: (mebibytes: number) => `The audio file is larger than ${mebibytes} MiB.`,
  },
  model_cannot_listen: {
    status: 400,
    when: 'The model transcribes files and cannot follow live audio.',
    fix: 'Choose one whose card has `audio_transcription_realtime`.',
    message: (model: string) =>
      `The model '${model}' cannot follow live audio. Choose one whose card has audio_transcription_realtime.`,
  },
  too_many_live_sessions: {
    status: 429,
    when: 'Too many live transcriptions of this key, of its organization or of the server are open.',
    fix: 'End one, or wait.',
    message: 'Too many live transcriptions are open. End one of them first.',
  },
  live_session_begun: {
    status: 400,
    when: 'A live transcription gets a `session.update` after its first audio.',
    fix: 'Send `session.update` before any audio, or open another session.',
    message: 'The session has its first audio already. Send session.update before any audio.',
  },
  live_audio_too_large: {
    status: 400,
    when: 'One message has more audio than it may.',
    fix: 'Send the audio in smaller pieces.',
    message: (bytes: number) => `One message may have ${bytes} bytes of audio. Send it in smaller pieces.`,
  },
  transcription_failed: {
    status: 500,
    fix: 'Send the request again, or report its id to the operator.',
    message: 'The audio could not be transcribed.',
  },
});
