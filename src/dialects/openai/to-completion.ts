import type { ChatCompletionRequest, Message } from '../../chat/index.ts';
import type { Call } from '../../metering/index.ts';
import { toCallId } from '../call-ids.ts';
import { promptMetadata } from '../responses/to-completion.ts';
import { type ContentPart, instructionsFor, toDocument } from '../responses/to-messages.ts';
import type { OpenAiChatRequest, OpenAiMessage, OpenAiToolChoice, UserPart } from '../schema/openai-chat.ts';

/** Fields that change no answer here; a response names those that were sent. */
const HINTS = ['user', 'store', 'service_tier', 'safety_identifier', 'prompt_cache_retention'] as const;

const NO_PREDICTION = { type: 'content' as const, content: '' };
const NO_PARAMETERS = { type: 'object', properties: {} };

/** One pass over what the schema has checked; nothing is checked twice. */
export function toCompletion(body: OpenAiChatRequest, call: Pick<Call, 'setHeader'>): ChatCompletionRequest {
  nameHints(body, call);
  const completion: ChatCompletionRequest = {
    model: body.model,
    messages: toMessages(body.messages),
    stream: body.stream === true,
    tool_choice: 'auto',
    prediction: body.prediction ? { type: 'content', content: textOf(body.prediction.content) } : NO_PREDICTION,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    safe_prompt: false,
    anyOrder: true,
  };
  addSampling(completion, body);
  if (body.tools?.length) addTools(completion, body.tools, body.tool_choice ?? 'auto');
  if (body.response_format) completion.response_format = toFormat(body.response_format);
  if (body.reasoning_effort) completion.reasoning_effort = body.reasoning_effort;
  if (body.verbosity && body.verbosity !== 'medium') addInstruction(completion, body.verbosity);
  if (body.logprobs) completion.logprobs = true;
  if (typeof body.top_logprobs === 'number') completion.top_logprobs = body.top_logprobs;
  if (body.prompt_cache_key) completion.prompt_cache_key = body.prompt_cache_key;
  if (body.metadata) completion.metadata = promptMetadata(body.model, body.metadata);
  if (typeof body.top_k === 'number') completion.top_k = body.top_k;
  if (typeof body.repetition_penalty === 'number') completion.repetition_penalty = body.repetition_penalty;
  if (typeof body.min_tokens === 'number') completion.min_tokens = body.min_tokens;
  if (body.guardrails) completion.guardrails = body.guardrails;
  return completion;
}

/** The hints that a request sends and nobody follows, in a header. */
function nameHints(body: OpenAiChatRequest, { setHeader }: Pick<Call, 'setHeader'>): void {
  let named = '';
  for (const hint of HINTS)
    if (body[hint] !== undefined && body[hint] !== null) named = named === '' ? hint : `${named}, ${hint}`;
  if (named !== '') setHeader('tramontane-ignored', named);
}

type Sampling = Pick<
  OpenAiChatRequest,
  | 'temperature'
  | 'top_p'
  | 'max_tokens'
  | 'n'
  | 'seed'
  | 'stop'
  | 'presence_penalty'
  | 'frequency_penalty'
  | 'logit_bias'
> & { max_completion_tokens?: number | null | undefined };

export function addSampling(completion: ChatCompletionRequest, body: Sampling): void {
  const maxTokens = body.max_completion_tokens ?? body.max_tokens;
  if (typeof maxTokens === 'number') completion.max_tokens = maxTokens;
  if (typeof body.temperature === 'number') completion.temperature = body.temperature;
  if (typeof body.top_p === 'number') completion.top_p = body.top_p;
  if (typeof body.n === 'number') completion.n = body.n;
  // Ours are not negative; the same seed stays the same.
  if (typeof body.seed === 'number') completion.random_seed = body.seed < 0 ? body.seed >>> 0 : body.seed;
  if (body.stop !== null && body.stop !== undefined) completion.stop = body.stop;
  if (typeof body.presence_penalty === 'number') completion.presence_penalty = body.presence_penalty;
  if (typeof body.frequency_penalty === 'number') completion.frequency_penalty = body.frequency_penalty;
  if (body.logit_bias && Object.keys(body.logit_bias).length > 0) completion.logitBias = body.logit_bias;
}

function toMessages(given: readonly OpenAiMessage[]): Message[] {
  const messages: Message[] = [];
  for (const message of given) {
    const translated = toMessage(message);
    if (translated) messages.push(translated);
  }
  return messages;
}

function toMessage(message: OpenAiMessage): Message | undefined {
  switch (message.role) {
    case 'system':
    case 'developer': {
      const content = textOf(message.content);
      return content === '' ? undefined : { role: 'system', content };
    }
    case 'user':
      return {
        role: 'user',
        content: typeof message.content === 'string' ? message.content : message.content.map(toPart),
      };
    case 'tool':
      return { role: 'tool', content: textOf(message.content), tool_call_id: toCallId(message.tool_call_id) };
    case 'assistant':
      return toAssistant(message);
  }
}

function toAssistant(message: Extract<OpenAiMessage, { role: 'assistant' }>): Message | undefined {
  const { content, refusal, reasoning_content: thought } = message;
  const said =
    typeof content === 'string'
      ? content
      : (content ?? []).map((part) => (part.type === 'text' ? part.text : part.refusal)).join('');
  const text = said === '' && refusal ? refusal : said;
  const calls = message.tool_calls ?? [];
  if (text === '' && calls.length === 0) return undefined;
  return {
    role: 'assistant',
    content: thought
      ? [
          { type: 'thinking', thinking: [{ type: 'text', text: thought }], closed: true },
          { type: 'text', text },
        ]
      : text,
    tool_calls:
      calls.length === 0
        ? null
        : calls.map(({ id, function: called }, index) => ({
            id: toCallId(id),
            type: 'function' as const,
            function: { name: called.name, arguments: called.arguments || '{}' },
            index,
          })),
    prefix: false,
  };
}

function textOf(content: string | readonly { text: string }[]): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('');
}

function toPart(part: UserPart): ContentPart {
  switch (part.type) {
    case 'text':
      return part;
    case 'image_url':
      return part;
    case 'input_audio':
      return { type: 'input_audio', input_audio: part.input_audio.data };
    case 'file':
      return toDocument(part.file.file_id, part.file.file_data, part.file.filename);
  }
}

function addTools(
  completion: ChatCompletionRequest,
  given: NonNullable<OpenAiChatRequest['tools']>,
  choice: OpenAiToolChoice,
): void {
  const allowed =
    typeof choice === 'object' && choice.type === 'allowed_tools'
      ? new Set(choice.allowed_tools.tools.map((tool) => tool.function.name))
      : undefined;
  completion.tools = given
    .filter((tool) => allowed?.has(tool.function.name) ?? true)
    .map(({ function: { name, description, parameters, strict } }) => ({
      type: 'function' as const,
      function: {
        name,
        description: description ?? '',
        parameters: parameters ?? NO_PARAMETERS,
        strict: strict ?? false,
      },
    }));
  if (typeof choice === 'string') completion.tool_choice = choice;
  else if (choice.type === 'function') completion.tool_choice = choice;
  else completion.tool_choice = choice.allowed_tools.mode;
}

function toFormat(
  format: NonNullable<OpenAiChatRequest['response_format']>,
): NonNullable<ChatCompletionRequest['response_format']> {
  if (format.type !== 'json_schema') return format;
  const { name, description, schema, strict } = format.json_schema;
  return {
    type: 'json_schema',
    json_schema: { name, schema: schema ?? {}, strict: strict ?? false, ...(description ? { description } : {}) },
  };
}

function addInstruction(completion: ChatCompletionRequest, verbosity: string): void {
  const content = instructionsFor(null, verbosity);
  if (content !== null) completion.messages.unshift({ role: 'system', content });
}
