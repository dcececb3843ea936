import type { ChatCompletionRequest, Message } from '../../chat/index.ts';
import { toCallId } from '../call-ids.ts';
import { dialectErrors } from '../errors.ts';
import type { InputContent, InputItem } from '../schema/response-items.ts';
import type { ResponseInput } from '../schema/responses.ts';
import { modelNameOf } from './name-tools.ts';

type Assistant = Extract<Message, { role: 'assistant' }>;
type UserContent = Extract<Message, { role: 'user' }>['content'];
export type ContentPart = Exclude<UserContent, string | null>[number];

/** Items as messages. Thoughts, text and calls between two inputs are one message of the assistant. */
export function toMessages(input: ResponseInput, instructions: string | null): Message[] {
  const messages: Message[] = instructions ? [{ role: 'system', content: instructions }] : [];
  if (typeof input === 'string') {
    messages.push({ role: 'user', content: input });
    return messages;
  }
  let open: Assistant | undefined;
  for (const item of input) {
    if (isOfAssistant(item)) {
      if (!open || closes(open, item)) {
        open = { role: 'assistant', content: null, tool_calls: null, prefix: false };
        messages.push(open);
      }
      addTo(open, item);
    } else {
      open = undefined;
      addInput(messages, item);
    }
  }
  // What was only a thought without words has nothing that a model could read.
  return messages.filter((one) => one.role !== 'assistant' || one.content !== null || one.tool_calls !== null);
}

type AssistantItem = Extract<InputItem, { type: 'function_call' | 'reasoning' } | { role: 'assistant' }>;

function isOfAssistant(item: InputItem): item is AssistantItem {
  return item.type === 'function_call' || item.type === 'reasoning' || ('role' in item && item.role === 'assistant');
}

/** Text after a call, and a thought after text, begin another turn. */
function closes(open: Assistant, item: AssistantItem): boolean {
  if (item.type === 'function_call') return false;
  return open.tool_calls !== null || (item.type === 'reasoning' && open.content !== null);
}

function addTo(open: Assistant, item: AssistantItem): void {
  if (item.type === 'function_call') {
    const called = { name: modelNameOf(item.name, item.namespace), arguments: item.arguments || '{}' };
    open.tool_calls ??= [];
    open.tool_calls.push({
      id: toCallId(item.call_id),
      type: 'function',
      function: called,
      index: open.tool_calls.length,
    });
    return;
  }
  if (item.type === 'reasoning') {
    const thought = (item.content ?? item.summary).map(({ text }) => text).join('');
    if (thought !== '')
      open.content = [{ type: 'thinking', thinking: [{ type: 'text', text: thought }], closed: true }];
    return;
  }
  const text =
    typeof item.content === 'string'
      ? item.content
      : item.content.map((part) => (part.type === 'refusal' ? part.refusal : part.text)).join('');
  const before = open.content;
  if (Array.isArray(before)) before.push({ type: 'text', text });
  else open.content = (before ?? '') + text;
}

function addInput(messages: Message[], item: Exclude<InputItem, AssistantItem>): void {
  if (item.type === 'function_call_output') {
    const content = typeof item.output === 'string' ? item.output : textOf(item.output, 'the output of a function');
    messages.push({ role: 'tool', content, tool_call_id: toCallId(item.call_id) });
    return;
  }
  if (item.role === 'user') {
    messages.push({ role: 'user', content: typeof item.content === 'string' ? item.content : toParts(item.content) });
    return;
  }
  const content = typeof item.content === 'string' ? item.content : textOf(item.content, `a ${item.role} message`);
  if (content !== '') messages.push({ role: 'system', content });
}

function textOf(parts: readonly InputContent[], where: string): string {
  return parts
    .map((part) => {
      if (part.type === 'input_text') return part.text;
      throw dialectErrors.input_item_unsupported(`${part.type} in ${where}`, 'Send its content as text.');
    })
    .join('');
}

function toParts(parts: readonly InputContent[]): ContentPart[] {
  return parts.map((part): ContentPart => {
    if (part.type === 'input_text') return { type: 'text', text: part.text };
    if (part.type === 'input_image') return toImage(part);
    return toDocument(part.file_id, part.file_url ?? part.file_data, part.filename);
  });
}

function toImage({ image_url, detail }: Extract<InputContent, { type: 'input_image' }>): ContentPart {
  if (!image_url)
    throw dialectErrors.input_item_unsupported('input_image without image_url', 'Send an address or a data: URL.');
  const known = detail === 'original' ? 'high' : detail;
  return { type: 'image_url', image_url: known ? { url: image_url, detail: known } : image_url };
}

/** A file by its id, its address, or with its content in base64. */
export function toDocument(
  fileId: string | null | undefined,
  data: string | null | undefined,
  filename: string | null | undefined,
): ContentPart {
  if (fileId) return { type: 'file', file_id: toFileId(fileId) };
  if (!data)
    throw dialectErrors.input_item_unsupported('A file without content', 'Send file_id, file_url or file_data.');
  const isAddress = /^(https?:|data:)/i.test(data);
  return {
    type: 'document_url',
    document_url: isAddress ? data : `data:application/octet-stream;base64,${data}`,
    document_name: filename ?? null,
  };
}

const FILE_ID = /^file-([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** `file-…` of the OpenAI API as the UUID that it stands for. */
export function toFileId(id: string): string {
  return id.replace(FILE_ID, '$1-$2-$3-$4-$5');
}

/** The words for `text.verbosity`, for which models have no setting. */
export function instructionsFor(instructions: string | null | undefined, verbosity: string | null | undefined) {
  const wish =
    verbosity === 'low' ? 'Answer briefly.' : verbosity === 'high' ? 'Answer thoroughly and in detail.' : undefined;
  if (!wish) return instructions ?? null;
  return instructions ? `${instructions}\n\n${wish}` : wish;
}

export function toFormat(
  format: { type: string } & Record<string, unknown>,
): NonNullable<ChatCompletionRequest['response_format']> {
  if (format.type !== 'json_schema') return { type: format.type as 'text' | 'json_object' };
  const { name, description, schema, strict } = format as unknown as {
    name: string;
    description?: string | null;
    schema: Record<string, unknown>;
    strict?: boolean | null;
  };
  return {
    type: 'json_schema',
    json_schema: { name, schema, strict: strict ?? false, ...(description ? { description } : {}) },
  };
}
