import type { ChatCompletionRequest, Message } from '../../chat/index.ts';
import type { Call } from '../../metering/index.ts';
import { toCallId } from '../call-ids.ts';
import { dialectErrors } from '../errors.ts';
import type { ContentPart } from '../responses/to-messages.ts';
import type {
  AnthropicMessage,
  AnthropicTool,
  DocumentBlock,
  ImageBlock,
  MessageCountRequest,
  MessageCreateRequest,
  SearchResultBlock,
  SystemMessage,
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
  if ('thread' in body && body.thread) throw dialectErrors.thread_unsupported();
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
  const tools = loadTools(body);
  if (tools.length > 0)
    completion.tools = tools.map(({ name, description, input_schema, strict }) => ({
      type: 'function' as const,
      function: { name, description: description ?? '', parameters: input_schema, strict: strict ?? false },
    }));
  const effort = output?.effort ?? effortOf(body.thinking);
  if (effort) completion.reasoning_effort = effort;
  const format = output?.format ?? body.output_format;
  if (format)
    completion.response_format = {
      type: 'json_schema',
      json_schema: { name: 'answer', schema: format.schema, strict: true },
    };
  if ('max_tokens' in body) addSampling(completion, body);
  return completion;
}

/** Whether the client wants to see what the model thought. */
export function showsThinking({ thinking }: MessageCreateRequest): boolean {
  return thinking !== undefined && thinking.type !== 'disabled' && thinking.display !== 'omitted';
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
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') addAssistant(translated, message);
    else if (message.role === 'user') addUser(translated, message);
    else if (!isCleared(message, messages, index)) addSystem(translated, message);
  }
  // A last message of the assistant is the beginning of the answer.
  const last = translated.at(-1);
  if (last?.role === 'assistant' && !last.tool_calls) last.prefix = true;
  return translated;
}

function isCleared({ clear_at }: SystemMessage, messages: readonly AnthropicMessage[], index: number): boolean {
  return clear_at === 'next_user_message' && messages.slice(index + 1).some(({ role }) => role === 'user');
}

function addSystem(messages: Message[], { content = '' }: SystemMessage): void {
  const text =
    typeof content === 'string'
      ? content
      : content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n');
  if (text !== '') messages.push({ role: 'system', content: text });
}

/** The tools that the model knows by now: deferred ones once something refers to them, and those of system messages. */
function loadTools({ tools = [], messages }: MessageCountRequest | MessageCreateRequest): AnthropicTool[] {
  const loaded = new Map(tools.filter(({ defer_loading }) => !defer_loading).map((tool) => [tool.name, tool]));
  const deferred = new Map(tools.filter(({ defer_loading }) => defer_loading).map((tool) => [tool.name, tool]));
  const load = (name: string) => {
    const tool = deferred.get(name);
    if (tool) loaded.set(name, tool);
  };
  for (const { role, content } of messages) {
    if (role === 'assistant' || !Array.isArray(content)) continue;
    for (const block of content) {
      if (block.type === 'tool_addition' && block.tool.type === 'tool_definition')
        loaded.set(block.tool.definition.name, block.tool.definition);
      else if (block.type === 'tool_addition') load((block.tool as { name: string }).name);
      else if (block.type === 'tool_removal') loaded.delete(block.tool.name);
      else if (block.type === 'tool_result' && Array.isArray(block.content))
        for (const part of block.content) if (part.type === 'tool_reference') load(part.tool_name);
    }
  }
  return [...loaded.values()];
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
  const text = blocks.flatMap(textOfResult).join('\n');
  messages.push({ role: 'tool', content: is_error ? `Error: ${text}` : text, tool_call_id: toCallId(tool_use_id) });
  return blocks.flatMap((block) => (block.type === 'image' || block.type === 'document' ? [toPart(block)] : []));
}

function textOfResult(block: Exclude<ToolResultBlock['content'], string | undefined>[number]): string[] {
  if (block.type === 'text') return [block.text];
  if (block.type === 'search_result') return [textOfSearch(block)];
  return block.type === 'tool_reference' ? [`The tool ${block.tool_name} is available now.`] : [];
}

const textOfSearch = ({ title, source, content }: SearchResultBlock) =>
  [title, source, ...content.map(({ text }) => text)].join('\n');

function toPart(block: { type: 'text'; text: string } | ImageBlock | DocumentBlock | SearchResultBlock): ContentPart {
  if (block.type === 'text') return { type: 'text', text: block.text };
  if (block.type === 'search_result') return { type: 'text', text: textOfSearch(block) };
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
  if (source.type === 'content') {
    const text = typeof source.content === 'string' ? source.content : source.content.map((part) => part.text).join('');
    return { type: 'text', text: title ? `${title}\n\n${text}` : text };
  }
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
