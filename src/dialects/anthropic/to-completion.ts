import type { ChatCompletionRequest, Message } from '../../chat/index.ts';
import type { Call } from '../../metering/index.ts';
import { toCallId } from '../call-ids.ts';
import type { ContentPart } from '../responses/to-messages.ts';
import type {
  AnthropicMessage,
  DocumentBlock,
  ImageBlock,
  MessageCountRequest,
  MessageCreateRequest,
  ToolResultBlock,
} from '../schema/anthropic.ts';

/** Fields that change no answer here; a response names those that were sent. */
const HINTS = [
  ...(['cache_control', 'metadata', 'service_tier', 'inference_geo', 'diagnostics', 'context_management'] as const),
  ...(['speed', 'user_profile_id', 'workspace_id'] as const),
];
const BUDGETS = [
  [2048, 'low'],
  [16_384, 'medium'],
] as const;

export function toCompletion(
  body: MessageCreateRequest | MessageCountRequest,
  call: Pick<Call, 'setHeader'>,
): ChatCompletionRequest {
  nameHints(body as MessageCreateRequest, call);
  const { tool_choice: choice, output_config: output } = body;
  const completion: ChatCompletionRequest = {
    model: body.model,
    messages: toMessages(body),
    stream: false,
    tool_choice:
      choice?.type === 'tool' ? { type: 'function', function: { name: choice.name } } : (choice?.type ?? 'auto'),
    prediction: { type: 'content', content: '' },
    parallel_tool_calls: !(choice && 'disable_parallel_tool_use' in choice && choice.disable_parallel_tool_use),
    safe_prompt: false,
    anyOrder: true,
  };
  if (body.tools?.length)
    completion.tools = body.tools.map(({ name, description, input_schema, strict }) => ({
      type: 'function' as const,
      function: { name, description: description ?? '', parameters: input_schema, strict: strict ?? false },
    }));
  const effort = output?.effort ?? effortOf(body.thinking);
  if (effort) completion.reasoning_effort = effort;
  if (output?.format)
    completion.response_format = {
      type: 'json_schema',
      json_schema: { name: 'answer', schema: output.format.schema, strict: true },
    };
  if ('max_tokens' in body) addSampling(completion, body);
  return completion;
}

/** Whether the client wants to see what the model thought. */
export function showsThinking({ thinking }: MessageCreateRequest): boolean {
  return thinking !== undefined && thinking.type !== 'disabled';
}

function effortOf(thinking: MessageCreateRequest['thinking']): 'low' | 'medium' | 'high' | undefined {
  if (thinking?.type !== 'enabled') return undefined;
  return BUDGETS.find(([most]) => thinking.budget_tokens <= most)?.[1] ?? 'high';
}

function addSampling(completion: ChatCompletionRequest, body: MessageCreateRequest): void {
  completion.max_tokens = body.max_tokens;
  if (body.temperature !== undefined) completion.temperature = body.temperature;
  if (body.top_p !== undefined) completion.top_p = body.top_p;
  if (body.top_k !== undefined) completion.top_k = body.top_k;
  if (body.stop_sequences?.length) completion.stop = body.stop_sequences;
}

function nameHints(body: MessageCreateRequest, { setHeader }: Pick<Call, 'setHeader'>): void {
  const named = HINTS.filter((hint) => body[hint] !== undefined && body[hint] !== null);
  if (named.length > 0) setHeader('tramontane-ignored', named.join(', '));
}

function toMessages({ messages, system }: MessageCountRequest | MessageCreateRequest): Message[] {
  const translated: Message[] = [];
  const instructions = typeof system === 'string' ? system : (system ?? []).map(({ text }) => text).join('\n\n');
  if (instructions !== '') translated.push({ role: 'system', content: instructions });
  for (const message of messages) {
    if (message.role === 'assistant') addAssistant(translated, message);
    else addUser(translated, message);
  }
  // A last message of the assistant is the beginning of the answer.
  const last = translated.at(-1);
  if (last?.role === 'assistant' && !last.tool_calls) last.prefix = true;
  return translated;
}

function addUser(messages: Message[], { content }: Extract<AnthropicMessage, { role: 'user' }>): void {
  if (typeof content === 'string') {
    messages.push({ role: 'user', content });
    return;
  }
  const parts: ContentPart[] = [];
  for (const block of content) {
    if (block.type === 'tool_result') parts.push(...addResult(messages, block));
    else parts.push(toPart(block));
  }
  if (parts.length > 0) messages.push({ role: 'user', content: parts });
}

/** A model reads the result of a tool as text; pictures and documents follow as the user's. */
function addResult(messages: Message[], { tool_use_id, content = '', is_error }: ToolResultBlock): ContentPart[] {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  messages.push({ role: 'tool', content: is_error ? `Error: ${text}` : text, tool_call_id: toCallId(tool_use_id) });
  return blocks.flatMap((block) => (block.type === 'text' ? [] : [toPart(block)]));
}

function toPart(block: { type: 'text'; text: string } | ImageBlock | DocumentBlock): ContentPart {
  if (block.type === 'text') return { type: 'text', text: block.text };
  const { source } = block;
  if (block.type === 'image')
    return {
      type: 'image_url',
      image_url:
        source.type === 'url'
          ? source.url
          : dataUrl((source as { media_type: string }).media_type, (source as { data: string }).data),
    };
  const { title } = block;
  if (source.type === 'text') return { type: 'text', text: title ? `${title}\n\n${source.data}` : source.data };
  return {
    type: 'document_url',
    document_url: source.type === 'url' ? source.url : dataUrl(source.media_type, source.data),
    document_name: title ?? null,
  };
}

const dataUrl = (mediaType: string, data: string) => `data:${mediaType};base64,${data}`;

function addAssistant(messages: Message[], { content }: Extract<AnthropicMessage, { role: 'assistant' }>): void {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
  const thought = blocks.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])).join('');
  const calls = blocks.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
  if (text === '' && calls.length === 0) return;
  messages.push({
    role: 'assistant',
    content:
      thought === ''
        ? text
        : [
            { type: 'thinking', thinking: [{ type: 'text', text: thought }], closed: true },
            { type: 'text', text },
          ],
    tool_calls:
      calls.length === 0
        ? null
        : calls.map(({ id, name, input }, index) => ({
            id: toCallId(id),
            type: 'function' as const,
            function: { name, arguments: JSON.stringify(input) },
            index,
          })),
    prefix: false,
  });
}
