import type { Refused } from '../kit/fair-queue/index.ts';
import { type ApiError, defineErrors, type ValidationFailed } from '../kit/http/index.ts';
import type { Engine } from './engine.ts';
import type { Refusal, RefusalCode } from './process/protocol.ts';

const LATER = 'Send the request again after the seconds in `Retry-After`.';
const OPERATOR = 'Ask the operator to look into the log and at `tramontane doctor`.';
const DOCUMENT = 'Send another document, or repair this one.';

export const engineErrors = defineErrors({
  engine_stopped: { status: 503, when: 'The process of the model died or hung and is started again.', fix: LATER },
  engine_unusable: { status: 503, when: 'The model cannot be loaded on this machine.', fix: OPERATOR },
  engine_busy: { status: 503, when: 'Too many requests wait for this model.', fix: LATER },
  tenant_queue_full: {
    status: 429,
    when: 'Too many requests of your organization, or of this key, wait for the same model or tool already.',
    fix: 'Wait for some of them, or send the request again after the seconds in `Retry-After`.',
  },
  engine_failed: { status: 503, when: 'The model failed on this request.', fix: LATER },
  generation_failed: {
    status: 500,
    fix: 'Change the request, or report its id to the operator.',
    message: 'The model could not answer this request.',
  },
  weights_missing: {
    status: 503,
    when: 'The weights of the model are not on this machine, or are still being downloaded.',
    fix: 'Wait for the download, or ask the operator to run `tramontane pull`.',
  },
  package_missing: { status: 503, when: 'An optional package is not installed on this server.', fix: OPERATOR },
  not_a_chat_model: {
    status: 400,
    when: 'The model does something else: it embeds, classifies, speaks or reads documents.',
    fix: 'Choose a chat model from `GET /v1/models`.',
    message: (verb: string) =>
      `This model only ${verb}. Choose a chat model; the operator adds one under models: in tramontane.yaml, with kind: chat.`,
  },
  classifier_outdated: {
    status: 503,
    when: 'A classifier no longer fits the embedding model that it was trained on, or its labels do not fit its outputs.',
    fix: 'Ask the operator to train it again with `tramontane classifiers train`.',
    message: (problem: string) =>
      `This classifier cannot be used: ${problem}. The operator trains it again with tramontane classifiers train.`,
  },
  unknown_voice: {
    status: 400,
    when: 'The engine has no voice of this name.',
    fix: 'Choose one from `GET /v1/audio/voices`.',
    message: (engine: string, voice: string) => `${engine} has no voice '${voice}'.`,
  },
  prompt_too_long: {
    status: 400,
    when: "The prompt, or the prompt and `max_tokens`, exceed the model's context.",
    fix: 'Send a shorter prompt, or ask for fewer tokens.',
  },
  unknown_tool_choice: {
    status: 400,
    when: '`tool_choice` names a tool that is not in `tools`.',
    fix: 'Name a tool of the request.',
  },
  fim_unsupported: {
    status: 400,
    when: 'The model cannot fill in the middle.',
    fix: 'Choose a model whose card has `completion_fim`.',
  },
  prefix_not_in_format: {
    status: 400,
    when: 'No response in the given `response_format` begins with the given prefix.',
    fix: 'Send compact JSON as the prefix, or none.',
  },
  grammar_too_expensive: {
    status: 422,
    when: 'The schema of `response_format` or of a tool has a pattern, or so many forms, that following it would hold up others.',
    fix: 'Simplify the part that the message names: fewer repetitions and alternatives, or no `pattern`.',
  },
  grammar_too_slow: {
    status: 400,
    when: 'Following the schema of `response_format` or of a tool took seconds for one token; the answer was ended.',
    fix: 'Simplify the schema.',
  },
  content_unsupported: {
    status: 400,
    when: 'The model does not read images or audio.',
    fix: 'Choose a model with that capability.',
  },
  messages_rejected: {
    status: 400,
    when: "The model's chat template does not accept this sequence of messages.",
    fix: 'Reorder or merge the messages.',
  },
  unsupported_document: { status: 400, when: 'The document has an unknown file type.', fix: DOCUMENT },
  document_encrypted: { status: 400, when: 'The PDF needs a password.', fix: 'Send it without one.' },
  document_damaged: { status: 400, when: 'The document cannot be read.', fix: DOCUMENT },
  document_too_slow: { status: 400, when: 'A page took longer than its limit.', fix: 'Ask for other pages.' },
  document_too_large: { status: 400, when: 'Reading the document took more memory than its limit.', fix: DOCUMENT },
  document_empty: { status: 400, when: 'The document holds no text.', fix: DOCUMENT },
  document_has_macros: {
    status: 400,
    when: 'The document holds macros, which are programs.',
    fix: 'Save it without macros, as docx, pptx or xlsx.',
  },
  document_hides_text: {
    status: 400,
    when: 'Most text of the document cannot be seen by its readers: it is hidden, white, tiny or written in invisible signs.',
    fix: DOCUMENT,
  },
  archive_too_large: {
    status: 400,
    when: 'An archive holds too many files, or unpacks to too much.',
    fix: 'Send smaller archives, or the files themselves.',
  },
  image_too_large: { status: 400, when: 'A picture has too many pixels.', fix: 'Send a smaller picture.' },
  page_out_of_range: { status: 400, when: '`pages` names a page that is not there.', fix: 'Count pages from 0.' },
  too_many_pages: { status: 400, when: 'More pages were asked for than one request may have.', fix: 'Use `pages`.' },
  answer_too_large: {
    status: 400,
    when: 'The pages hold more pictures than fit into one response.',
    fix: 'Ask for fewer pages, or leave out `include_image_base64`.',
  },
  audio_format_unsupported: {
    status: 400,
    when: 'The file is not audio in a format that this server decodes.',
    fix: 'Send wav, mp3, flac, ogg, opus or webm; for m4a and aac ask the operator to install their decoder.',
  },
  audio_damaged: { status: 400, when: 'The audio cannot be decoded.', fix: 'Send another file, or repair this one.' },
  audio_empty: { status: 400, when: 'The file holds no sound.', fix: 'Send a file with at least a tenth of a second.' },
  audio_duration_exceeded: {
    status: 400,
    when: 'The audio is longer than one request may be.',
    fix: 'Cut the file, or ask the operator to raise `hours_max` of the model.',
  },
  audio_too_slow: { status: 400, when: 'Decoding the audio took longer than its limit.', fix: 'Send another format.' },
  audio_memory_exceeded: {
    status: 400,
    when: 'Decoding the audio took more memory than its limit.',
    fix: 'Send another format, such as wav or mp3.',
  },
  language_not_spoken: {
    status: 400,
    when: '`language` is none that the model knows.',
    fix: 'Leave it out, or send one of the codes that the message lists.',
  },
  diarization_unavailable: {
    status: 400,
    when: '`diarize` was asked for, and the model tells no speakers apart on this server.',
    fix: 'Leave it out, or ask the operator to set `diarization` for the model.',
  },
  live_option_unavailable: {
    status: 400,
    when: 'A live session asks for speakers or turns, and the server of the model takes only files.',
    fix: 'Leave the option out, or choose a model that this server runs itself.',
    message: (option: string) =>
      `The server of this model takes only files, so a live session has no ${option}. Leave it out, or choose another model.`,
  },
  code_interpreter_busy: { status: 503, when: 'Too many programs wait for the code interpreter.', fix: LATER },
  code_interpreter_unusable: { status: 503, when: 'The code interpreter cannot be started.', fix: OPERATOR },
  code_interpreter_input_invalid: {
    status: 400,
    when: 'The code or the files for the code interpreter are too large, too many or badly named.',
    fix: 'Send less code, fewer or smaller files, and plain relative names.',
  },
  upstream_rate_limited: {
    status: 429,
    fix: LATER,
    message: 'Rate limit exceeded',
    wireCode: '1300',
    retryAfterSeconds: 5,
  },
  upstream_misconfigured: {
    status: 502,
    when: 'The model server refused our credentials, address or model name.',
    fix: "Ask the operator to check the model's `url`, `api_key` and `upstream_model`.",
  },
  upstream_rejected_request: {
    status: 400,
    fix: 'Check that the model supports every field and kind of content that was sent.',
    message:
      'The model server does not accept this request. Check that the model supports every field and kind of content that was sent.',
  },
  upstream_context_exceeded: {
    status: 400,
    fix: 'Send less, or ask for less.',
    message: "The request, and the answer it asks for, exceed the model's context length. Send less, or ask for less.",
  },
  upstream_unavailable: {
    status: 503,
    when: 'The model server failed or cannot be reached.',
    fix: LATER,
    retryAfterSeconds: 5,
  },
  upstream_timeout: {
    status: 504,
    fix: LATER,
    message: 'The model server took too long to answer. Try again in a moment.',
    retryAfterSeconds: 5,
  },
  upstream_invalid_response: {
    status: 502,
    fix: OPERATOR,
    message: 'The model server answered in a form we do not know.',
  },
  upstream_answer_too_large: {
    status: 502,
    when: 'The model server sent more than an answer, an event or a tool call may have.',
    fix: 'Ask for less, or ask the operator to look at the model server.',
    message: 'The model server sent more than an answer may hold.',
  },
  upstream_interrupted: {
    status: 502,
    fix: 'Send the request again.',
    message: 'The model server broke off its answer. Send the request again.',
  },
});

type Busy = (message: string, options: { retryAfterSeconds: number }) => ApiError;

/** What a client gets that may not even wait for `subject`, such as `the code interpreter`. */
export function refuseTurn(subject: string, full: Busy = engineErrors.engine_busy) {
  return ({ by, position, retryAfterSeconds }: Refused): ApiError =>
    by === 'tenant'
      ? engineErrors.tenant_queue_full(
          `Too many requests of your organization wait for ${subject}. ${position} would be served before this one.`,
          { retryAfterSeconds },
        )
      : full(`Too many requests wait for ${subject}. ${position} would be served before this one.`, {
          retryAfterSeconds,
        });
}

/** What a child process refused, as the error of the table that its code names. */
export function toApiError({ code, message }: Refusal): ApiError | ValidationFailed {
  if (code === 'grammar_too_expensive') return engineErrors[code](['body'], message);
  return engineErrors[code satisfies RefusalCode](message);
}

/** The chat methods of an engine that does something else. */
export function refuseChat(verb: string): Pick<Engine, 'complete' | 'stream'> {
  return {
    complete: () => Promise.reject(engineErrors.not_a_chat_model(verb)),
    stream: () => {
      throw engineErrors.not_a_chat_model(verb);
    },
  };
}
