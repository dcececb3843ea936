import type { PlaygroundRequest, RequestBody } from './setup.ts';

/** The APIs in whose words a request can be copied. */
export const FLAVOURS = ['Mistral', 'OpenAI', 'Anthropic'] as const;
export type Flavour = (typeof FLAVOURS)[number];

export type FlavouredRequest = { path: string; body: Record<string, unknown> };

/** Anthropic's API asks for a limit always. */
const MAX_TOKENS = 1024;

export function flavour({ path, body }: PlaygroundRequest, as: Flavour): FlavouredRequest {
  if (as === 'OpenAI') return { path: '/openai/v1/chat/completions', body: toOpenAi(body) };
  if (as === 'Anthropic') return { path: '/anthropic/v1/messages', body: toAnthropic(body) };
  return { path, body };
}

function toOpenAi(body: RequestBody): Record<string, unknown> {
  const { agent_id, model = agent_id, messages, random_seed, tool_choice, metadata, ...rest } = body;
  const variables = (metadata as { variables?: unknown } | null | undefined)?.variables;
  return {
    model,
    messages: messages.map((message) => ({ ...message, content: toOpenAiContent(message.content) })),
    ...rest,
    ...(random_seed === undefined ? {} : { seed: random_seed }),
    ...(tool_choice === undefined ? {} : { tool_choice: tool_choice === 'any' ? 'required' : tool_choice }),
    ...(variables === undefined ? {} : { metadata: variables }),
  };
}

function toAnthropic(body: RequestBody): Record<string, unknown> {
  const { agent_id, model = agent_id, messages, max_tokens, temperature, top_p, stop, tools, tool_choice } = body;
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => textOf(content));
  const schema = body.response_format?.json_schema?.schema;
  return {
    model,
    max_tokens: max_tokens ?? MAX_TOKENS,
    ...(system.length > 0 ? { system: system.join('\n\n') } : {}),
    messages: messages.filter(({ role }) => role !== 'system').map(toMessage),
    ...(temperature === undefined ? {} : { temperature: Math.min(1, temperature ?? 1) }),
    ...(top_p === undefined ? {} : { top_p }),
    ...(stop === undefined ? {} : { stop_sequences: [stop].flat() }),
    ...(tools?.length ? { tools: tools.map(toTool) } : {}),
    ...(typeof tool_choice === 'string'
      ? { tool_choice: { type: tool_choice === 'required' ? 'any' : tool_choice } }
      : {}),
    ...(schema ? { output_config: { format: { type: 'json_schema', schema } } } : {}),
  };
}

function toMessage({ role, content, tool_calls, tool_call_id }: RequestBody['messages'][number]) {
  if (role === 'tool') return { role: 'user', content: [{ type: 'tool_result', tool_use_id: tool_call_id, content }] };
  if (!tool_calls?.length) return { role, content: toAnthropicContent(content) };
  const said = content === '' ? [] : [{ type: 'text', text: content }];
  const calls = tool_calls.map(({ id, function: { name, arguments: given } }) => ({
    type: 'tool_use',
    id,
    name,
    input: JSON.parse(given) as unknown,
  }));
  return { role, content: [...said, ...calls] };
}

type Content = RequestBody['messages'][number]['content'];

const textOf = (content: Content): string =>
  typeof content === 'string' ? content : content.map((chunk) => ('text' in chunk ? chunk.text : '')).join('');

function toOpenAiContent(content: Content): unknown {
  if (typeof content === 'string') return content;
  return content.map((chunk) => {
    if (chunk.type === 'image_url') return { type: 'image_url', image_url: { url: chunk.image_url } };
    if (chunk.type === 'text') return chunk;
    return { type: 'file', file: { filename: chunk.document_name, file_data: chunk.document_url } };
  });
}

function toAnthropicContent(content: Content): unknown {
  if (typeof content === 'string') return content;
  return content.map((chunk) => {
    if (chunk.type === 'text') return chunk;
    const url = chunk.type === 'image_url' ? chunk.image_url : chunk.document_url;
    const [, media_type = '', data = ''] = /^data:([^;,]*)[^,]*,(.*)$/s.exec(url) ?? [];
    const source = { type: 'base64', media_type, data };
    return chunk.type === 'image_url'
      ? { type: 'image', source }
      : { type: 'document', source, title: chunk.document_name };
  });
}

function toTool(tool: NonNullable<RequestBody['tools']>[number]) {
  if (tool.type !== 'function') return tool;
  const { name, description, parameters } = tool.function;
  return { name, ...(description ? { description } : {}), input_schema: parameters };
}
