import type { EngineMessage, EnginePart, EngineToolCall } from '../models/index.ts';
import { chatErrors } from './errors.ts';
import { type Content, type ThinkChunk, unwrapResource } from './schema/content.ts';
import type { Message, ToolCall } from './schema/messages.ts';

/** Prepended by `safe_prompt`; the text is the one the public API documents. */
const SAFETY_PROMPT =
  'Always assist with care, respect, and truth. Respond with utmost utility yet securely. Avoid harmful, unethical, prejudiced, or negative content. Ensure replies promote fairness and positivity.';

const HTTP_ADDRESS = /^[a-z]+:\/\//i;
/** No other scheme: a model server could read its own files by file: URLs. */
const IMAGE_ADDRESS = /^(https?:\/\/|data:)/i;

export function toEngineMessages(messages: readonly Message[], isSafe: boolean): EngineMessage[] {
  const translated = messages.map(toEngineMessage);
  return isSafe ? withInstruction(translated, SAFETY_PROMPT) : translated;
}

/** Many chat templates allow one system message only, so an existing one is extended. */
export function withInstruction(messages: readonly EngineMessage[], instruction: string): EngineMessage[] {
  const [first, ...rest] = messages;
  return first?.role === 'system'
    ? [{ role: 'system', content: `${instruction}\n\n${first.content}` }, ...rest]
    : [{ role: 'system', content: instruction }, ...messages];
}

function toEngineMessage(message: Message): EngineMessage {
  switch (message.role) {
    case 'system':
      return {
        role: 'system',
        content:
          typeof message.content === 'string'
            ? message.content
            : message.content.map((chunk) => (chunk.type === 'text' ? chunk.text : thoughtOf(chunk))).join('\n'),
      };
    case 'user':
      return { role: 'user', content: toParts(message.content) };
    case 'assistant': {
      const { text, thinking } = toReply(message.content ?? null);
      const toolCalls = (message.tool_calls ?? []).map(toEngineCall);
      const said = { role: 'assistant' as const, content: text, toolCalls, prefix: message.prefix };
      return thinking === '' ? said : { ...said, thinking };
    }
    case 'tool': {
      const result = { role: 'tool' as const, content: toText(message.content), toolCallId: message.tool_call_id };
      return message.name ? { ...result, name: message.name } : result;
    }
  }
}

function toEngineCall({ id, function: called }: ToolCall): EngineToolCall {
  const given = called.arguments;
  return { id, name: called.name, arguments: typeof given === 'string' ? given : JSON.stringify(given) };
}

function toParts(content: Content): string | EnginePart[] {
  if (content === null || typeof content === 'string') return content ?? '';
  return content.flatMap((given): EnginePart | [] => {
    const chunk = unwrapResource(given);
    if (chunk.type === 'text') return { type: 'text', text: chunk.text };
    // A reference to a source, which the model cannot read.
    if (chunk.type === 'reference') return [];
    if (chunk.type === 'input_audio') {
      if (HTTP_ADDRESS.test(chunk.input_audio)) throw chatErrors.audio_address_unsupported();
      return { type: 'input_audio', data: chunk.input_audio };
    }
    if (chunk.type === 'image_url') {
      const image = typeof chunk.image_url === 'string' ? { url: chunk.image_url } : chunk.image_url;
      if (!IMAGE_ADDRESS.test(image.url)) throw chatErrors.image_url_invalid();
      return image.detail
        ? { type: 'image_url', url: image.url, detail: image.detail }
        : { type: 'image_url', url: image.url };
    }
    throw chatErrors.content_chunk_unsupported('user', chunk.type);
  });
}

function toText(content: Content): string {
  if (content === null || typeof content === 'string') return content ?? '';
  return content
    .map((given) => {
      const chunk = unwrapResource(given);
      if (chunk.type === 'text') return chunk.text;
      throw chatErrors.content_chunk_unsupported('tool', chunk.type);
    })
    .join('');
}

// References to sources of an earlier reply are left out: the model cannot read them.
function toReply(content: Content): { text: string; thinking: string } {
  if (content === null || typeof content === 'string') return { text: content ?? '', thinking: '' };
  let text = '';
  let thinking = '';
  for (const given of content) {
    const chunk = unwrapResource(given);
    if (chunk.type === 'text') text += chunk.text;
    else if (chunk.type === 'thinking') thinking += thoughtOf(chunk);
    else if (chunk.type !== 'reference') throw chatErrors.content_chunk_unsupported('assistant', chunk.type);
  }
  return { text, thinking };
}

function thoughtOf({ thinking }: ThinkChunk): string {
  return thinking.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
