import { defineErrors, missing } from '../kit/http/index.ts';

export const dialectErrors = defineErrors({
  option_unsupported: {
    status: 400,
    when: 'A request in another API sends an option that would change the answer and that no model here can follow.',
    fix: 'Leave the option out.',
    message: (name: string, why: string) => `'${name}' is not supported here: ${why}`,
  },
  input_item_unsupported: {
    status: 400,
    when: 'An item, a content part or a tool is of a kind that this server cannot read or run.',
    fix: 'Leave it out, or send its content as text.',
    message: (kind: string, instead: string) => `${kind} cannot be used here. ${instead}`,
  },
  tool_namespace_invalid: {
    status: 400,
    when: 'Two tools have the same name, or a tool choice fits functions of several namespaces.',
    fix: 'Rename one of them.',
    message: (name: string) => `The function '${name}' is in more than one place. Rename one of them.`,
  },
  token_unknown: {
    status: 400,
    when: 'An input for embeddings is a list of tokens, and one of them is not in the vocabulary cl100k_base.',
    fix: 'Send text, or tokens of cl100k_base.',
    message: (token: number) =>
      `The token ${token} is not in the vocabulary cl100k_base, in which token lists are read. Send text instead.`,
  },
  translation_unsupported: {
    status: 400,
    when: "A client of OpenAI's API asks for the translation of speech.",
    fix: 'Transcribe the speech, and let a chat model translate the text.',
    message:
      'Speech is not translated here. Send it to /openai/v1/audio/transcriptions, and let a chat model translate the text.',
  },
  response_not_found: missing('response'),
  previous_response_not_found: {
    status: 400,
    when: "`previous_response_id` names no stored response that the key's user may see.",
    fix: 'Send the id of a response that was created with `store: true`, or the whole history in `input`.',
    message: (id: string) => `Previous response with id '${id}' not found.`,
  },
  input_item_not_found: {
    status: 400,
    when: "`input` refers to an item (`item_reference`) that is in no stored response of the key's user.",
    fix: 'Send the item itself, or continue with `previous_response_id`.',
    message: (id: string) => `Item with id '${id}' not found.`,
  },
  response_in_progress: {
    status: 400,
    when: '`previous_response_id` names a response that is not complete yet.',
    fix: 'Wait until its status is completed.',
    message: (id: string) => `The response '${id}' is still in progress. Wait until it is completed.`,
  },
  response_not_cancellable: {
    status: 400,
    when: 'A response that was not created with `background: true` is cancelled, or one that has ended.',
    fix: 'Only a background response that is still in progress can be cancelled.',
    message: 'Only a response with background: true that is still in progress can be cancelled.',
  },
  thread_unsupported: {
    status: 400,
    when: "A request of Anthropic's dialect asks the server to hold the conversation (`thread`).",
    fix: 'Send the whole conversation in `messages`; the SDKs do so by themselves after this error.',
    message: 'Threads are not kept here: send the whole conversation in messages, without thread.',
  },
  batch_not_found: missing('batch'),
  stored_file_not_found: missing('file'),
});
