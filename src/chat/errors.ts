import { defineErrors } from '../kit/http/index.ts';

export const chatErrors = defineErrors({
  model_capability_missing: {
    status: 400,
    when: 'The model cannot complete chats, or cannot fill in the middle.',
    fix: 'Choose a model whose card has the capability.',
  },
  max_tokens_too_large: {
    status: 400,
    when: '`max_tokens` is more than the context of the model holds.',
    fix: 'Ask for fewer tokens, or choose a model with a larger context.',
    message: (maxTokens: number, contextTokens: number, model: string) =>
      `max_tokens ${maxTokens} is more than the ${contextTokens} tokens that the context of '${model}' holds.`,
  },
  min_tokens_too_large: {
    status: 400,
    fix: 'Ask for fewer tokens at least, or for more at most.',
    message: 'min_tokens is more than max_tokens.',
  },
  logprobs_missing: {
    status: 400,
    when: '`top_logprobs` or `top_prompt_logprobs` is sent without the field that asks for log probabilities at all.',
    fix: 'Send `logprobs: true` or `prompt_logprobs: true` as well.',
  },
  message_order_invalid: {
    status: 400,
    when: 'A message has a role that cannot follow the one before it, or tool calls and tool results do not match.',
    fix: 'Start with system or user, and follow each tool call with its result.',
    type: 'invalid_request_message_order',
    wireCode: '3230',
  },
  last_role_invalid: {
    status: 400,
    when: 'The last message is one that a model cannot reply to.',
    fix: 'End with a user or tool message, or with an assistant message with `prefix: true`.',
    message: (role: string) =>
      `Expected last role User or Tool (or Assistant with prefix True) for serving but got ${role}`,
  },
  audio_address_unsupported: {
    status: 400,
    fix: 'Send the sound itself in base64.',
    message: 'input_audio must be the sound itself in base64, or a data address; addresses are not fetched.',
  },
  messages_missing: { status: 400, when: 'The list of messages is empty.', fix: 'Send at least one message.' },
  message_content_missing: {
    status: 400,
    when: 'A system message is empty, or an assistant message has neither content nor tool calls.',
    fix: 'Give the message content, or leave it out.',
  },
  prefix_invalid: {
    status: 400,
    when: '`prefix: true` is on a message that is not the last one, or that has tool calls.',
    fix: 'Use `prefix` on a last assistant message without tool calls only.',
  },
  tool_call_id_invalid: {
    status: 400,
    when: 'The id of a tool call does not have nine letters or digits, or is used twice in one message.',
    fix: 'Send the ids of the reply back unchanged.',
  },
  function_name_invalid: {
    status: 400,
    when: 'The name of a function has other characters than letters, digits, `_` and `-`, or more than 64.',
    fix: 'Rename the function.',
    message: (name: string) =>
      `Function name was ${name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.`,
  },
  function_name_taken: {
    status: 400,
    when: 'Two tools have the same function name.',
    fix: 'Rename one of them.',
    message: (name: string) => `The function name '${name}' is used by more than one tool.`,
  },
  list_too_long: {
    status: 400,
    when: 'The request asks for too many choices, tools or stop strings.',
    fix: 'Send no more than the message allows.',
  },
  prediction_conflict: {
    status: 400,
    fix: 'Leave one of the two out.',
    message: 'prediction cannot be combined with n greater than 1.',
  },
  tool_type_unsupported: {
    status: 400,
    when: 'A chat completion has a tool of another type than `function`.',
    fix: 'Use an agent or a conversation for built-in tools.',
    message: (type: string) =>
      `Tools of type '${type}' work in agents and conversations only. Give chat completions tools of type 'function'.`,
  },
  tool_parameters_invalid: {
    status: 400,
    when: 'The `parameters` of a tool are not a valid JSON schema of type `object`, or are too large.',
    fix: 'Correct the schema.',
  },
  tool_choice_invalid: {
    status: 400,
    when: '`tool_choice` names a function that is not among the tools, or there are no tools.',
    fix: 'Add the tool, or change `tool_choice`.',
  },
  response_format_invalid: {
    status: 400,
    when: '`response_format` has no valid JSON schema.',
    fix: 'Correct the schema, or use the type `json_object`.',
  },
  image_url_invalid: {
    status: 400,
    fix: 'Send the image as a `data:` URL.',
    message: 'An image_url is an http or https address, or a data: URL.',
  },
  image_url_forbidden: {
    status: 400,
    fix: 'Send the image as a `data:` URL, or ask the operator to allow its host.',
    message:
      'An image_url may not lead to a private address. Send the image as a data: URL, or ask the operator to add its host to outbound.allow.',
  },
  content_chunk_unsupported: {
    status: 400,
    when: 'A message has a content chunk that no engine can read.',
    fix: 'Send its content as text.',
    message: (role: string, type: string) =>
      `A ${role} message in chat completions cannot hold a chunk of type '${type}'. Send its content as text instead.`,
  },
  invalid_tool_call: {
    status: 502,
    fix: 'Simplify the tool, or use a stronger model.',
    message:
      'The model called a tool with arguments that do not fit its parameters, twice. Simplify the tool, or use a stronger model.',
  },
  missing_tool_call: {
    status: 502,
    fix: 'Use a model that supports function calling.',
    message:
      'The model did not call a tool although tool_choice asks for one. Use a model that supports function calling.',
  },
  invalid_json_output: {
    status: 502,
    fix: 'Simplify the schema, or use a stronger model.',
    message:
      'The model did not answer with JSON that fits response_format, twice. Simplify the schema, or use a stronger model.',
  },
  completion_failed: {
    status: 500,
    fix: 'Report the request id to the operator.',
    message: 'Something went wrong on our side. Report the request id to the operator.',
  },
});
