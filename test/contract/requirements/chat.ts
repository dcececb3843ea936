import { requirementsOf } from './requirement.ts';

export const chatRequirements = requirementsOf('chat', {
  'Resources: Chat messages': {
    'CHAT-ROLES': 'a message has role system, user, assistant or tool and any other is refused',
    'CHAT-TOOL-RESULT': 'the content of a tool message reaches the model as the result of its call',
    'CHAT-TOOL-NAME': 'a tool message may name its function',
    'CHAT-TOOL-CALLS': 'a tool call has an id and a function with name and arguments as a JSON-encoded string',
    'CHAT-TOOL-DEFINITION': 'a tool is {type: function, function: {name, description, parameters}} with a JSON schema',
  },
  'Endpoints: Chat completions': {
    'CHAT-CREATE': 'POST /v1/chat/completions answers 200 with choices, each with a message',
    'CHAT-MODEL-REQUIRED': 'a request without model or messages is refused',
    'CHAT-TEMPERATURE': 'temperature reaches the model, and a value out of range is refused',
    'CHAT-PENALTIES': 'presence_penalty and frequency_penalty reach the model, and values out of range are refused',
    'CHAT-TOOL-CHOICE-AUTO': 'tool_choice auto lets the model decide',
    'CHAT-TOOL-CHOICE-ANY': 'tool_choice any forces a tool call',
    'CHAT-TOOL-CHOICE-NONE': 'tool_choice none forbids tool calls',
    'CHAT-N': 'n answers that many choices',
    'CHAT-N-BILLED-ONCE': 'with n the input tokens count once',
    'CHAT-SAFE-PROMPT': 'safe_prompt enables guardrailing',
  },
  'Events: 3': {
    'CHAT-STREAM-USAGE': 'the last chunk of a stream carries the token usage',
    'CHAT-STREAM-P': 'every chunk of a stream carries p',
  },
  'Errors: rule 2': {
    'CHAT-TOOL-CALL-ID': 'a tool message without tool_call_id, or with null, is refused',
  },
  'Versioning: 5': {
    'CHAT-EXTRA': 'an unsupported parameter is refused',
    'CHAT-JSON-MODE': 'JSON mode works with every chat model',
  },
  'decisions: Error bodies, inference family': {
    'CHAT-MESSAGE-ORDER': 'messages out of order are 400 with type invalid_request_message_order and code 3230',
    'CHAT-UNKNOWN-MODEL': 'an unknown model is 400 with type invalid_model and code 1500',
    'CHAT-429-BODY': 'a rate limit is 429 with type rate_limited and code 1300',
  },
  'decisions: Numbers and shapes': {
    'CHAT-USAGE': 'usage has prompt, completion and total tokens, and of the other fields those that are known',
    'CHAT-N-UPSTREAM': 'the input counts once also where an upstream ignores n and is asked n times',
    'CHAT-P-PADDING': 'the length of a chunk tells nothing about the length of its token',
    'CHAT-FIM-P': 'every chunk of a fill-in-the-middle stream carries p',
    'CHAT-TOOL-CALL-WHOLE': 'a streamed tool call arrives whole, in one delta',
  },
  'public facts: Chat completions, request': {
    'CHAT-TOP-P': 'top_p reaches the model, and a value out of range is refused',
    'CHAT-MAX-TOKENS': 'max_tokens bounds the answer, which then finishes with length and holds no broken call',
    'CHAT-STOP': 'stop, a text or a list of texts, reaches the model',
    'CHAT-SEED': 'random_seed reaches the model, and the name seed is refused',
    'CHAT-METADATA': 'metadata is a free object that changes nothing of the answer',
    'CHAT-CACHE-KEY': 'prompt_cache_key is a hint that reaches the model',
    'CHAT-SERVICE-TIER': 'service_tier is auto or standard_only and any other is refused',
    'CHAT-JSON-SCHEMA': 'a response_format with a json_schema is answered with JSON that fits its schema',
    'CHAT-PARALLEL': 'with parallel_tool_calls false there is at most one call',
    'CHAT-TOOL-CHOICE-FUNCTION': 'tool_choice with the name of a function calls that one',
    'CHAT-PREDICTION': 'prediction is a hint that reaches the model, and is refused together with n',
    'CHAT-REASONING': 'reasoning_effort and prompt_mode reach the model, and effort none hides its thoughts',
    'CHAT-THINKING': 'thoughts are chunks of type thinking, in the answer and in the messages',
    'CHAT-PREFIX': 'an answer goes on from the last assistant message with prefix true, and holds it',
    'CHAT-CONTENT': 'content is a text or a list of chunks: text, image_url, input_audio and thoughts reach the model',
    'CHAT-CONTENT-REFUSED': 'chunks that no engine reads are refused: documents and files',
    'CHAT-BUILT-IN-TOOLS': 'tools that only agents have are refused, whatever fields they carry',
  },
  'public facts: Chat completions, answer': {
    'CHAT-ANSWER': 'the answer has id, object, created, and as model the id of what really served',
    'CHAT-FINISH': 'finish_reason is stop, length, model_length, error or tool_calls',
    'CHAT-STREAM': 'stream true answers with data-only events, the role in the first delta and an end marker',
  },
  'public facts: FIM': {
    'CHAT-FIM': 'POST /v1/fim/completions answers the text between prompt and suffix as a chat answer',
    'CHAT-FIM-SAMPLING': 'the sampling fields of a chat and min_tokens reach the model',
    'CHAT-FIM-HINTS': 'metadata and prompt_cache_key of a fill in the middle are taken and change nothing',
    'CHAT-FIM-REFUSED': 'a model without tokens for the middle is 400 and the message says so',
  },
  'decisions: Streams and resume': {
    'CHAT-CANCEL': 'when the client leaves, the work is cancelled and what was used is billed',
  },
});
