import type { CallContent, ContentMessage, ContentPart } from '../metering/index.ts';
import type { ChatRequest, Completion, Delta, EngineToolCall, FimRequest } from '../models/index.ts';

type Message = ChatRequest['messages'][number];

/** What the model is asked, as OpenTelemetry's GenAI conventions have it. Pictures and sound are only named. */
export function noteInput(content: CallContent, request: ChatRequest | FimRequest): void {
  if (!('messages' in request)) {
    content.input.push({ role: 'user', parts: [textPart(request.prompt), ...suffixOf(request)] });
    return;
  }
  for (const message of request.messages) {
    if (message.role === 'system') content.system.push(textPart(message.content));
    else content.input.push(toMessage(message));
  }
  for (const { name, description, parameters } of request.tools)
    content.tools.push({ type: 'function', name, description, parameters });
}

export function noteCompletion(content: CallContent, { choices }: Completion): void {
  for (const { text, thinking, toolCalls, finish } of choices)
    content.output.push({ role: 'assistant', parts: answerParts(text, thinking, toolCalls), finish_reason: finish });
}

/** The same batches; what they say is noted when they end, however they end. */
export async function* noteDeltas(
  batches: AsyncIterable<Delta[]>,
  content: CallContent,
): AsyncGenerator<Delta[], undefined> {
  const choices: { text: string; thinking: string; calls: EngineToolCall[]; finish: string | undefined }[] = [];
  try {
    for await (const batch of batches) {
      for (const delta of batch) {
        if (delta.kind === 'usage') continue;
        choices[delta.choice] ??= { text: '', thinking: '', calls: [], finish: undefined };
        const choice = choices[delta.choice] as (typeof choices)[number];
        if (delta.kind === 'text') choice.text += delta.text;
        else if (delta.kind === 'thinking') choice.thinking += delta.text;
        else if (delta.kind === 'tool_call') choice.calls.push(delta.call);
        else {
          choice.finish = delta.reason;
          // Before the last batch leaves: a request is settled when its reader has taken it.
          noteChoice(content, choice);
          delete choices[delta.choice];
        }
      }
      yield batch;
    }
  } finally {
    for (const choice of choices) if (choice) noteChoice(content, choice);
  }
}

function noteChoice(
  content: CallContent,
  {
    text,
    thinking,
    calls,
    finish,
  }: { text: string; thinking: string; calls: EngineToolCall[]; finish?: string | undefined },
): void {
  const parts = answerParts(text, thinking, calls);
  content.output.push(finish ? { role: 'assistant', parts, finish_reason: finish } : { role: 'assistant', parts });
}

function answerParts(text: string, thinking: string | undefined, calls: readonly EngineToolCall[]): ContentPart[] {
  const parts: ContentPart[] = thinking ? [{ type: 'reasoning', content: thinking }] : [];
  if (text !== '') parts.push(textPart(text));
  for (const { id, name, arguments: given } of calls) parts.push({ type: 'tool_call', id, name, arguments: given });
  return parts;
}

function toMessage(message: Exclude<Message, { role: 'system' }>): ContentMessage {
  if (message.role === 'assistant')
    return { role: 'assistant', parts: answerParts(message.content, message.thinking, message.toolCalls) };
  if (message.role === 'tool')
    return { role: 'tool', parts: [{ type: 'tool_call_response', id: message.toolCallId, response: message.content }] };
  if (typeof message.content === 'string') return { role: 'user', parts: [textPart(message.content)] };
  return {
    role: 'user',
    parts: message.content.map((part) => {
      if (part.type === 'text') return textPart(part.text);
      if (part.type === 'input_audio') return { type: 'blob', modality: 'audio' };
      const isInline = /^data:/i.test(part.url);
      return isInline ? { type: 'blob', modality: 'image' } : { type: 'uri', modality: 'image', uri: part.url };
    }),
  };
}

function suffixOf({ suffix }: FimRequest): ContentPart[] {
  return suffix === '' ? [] : [{ type: 'suffix', content: suffix }];
}

function textPart(content: string): ContentPart {
  return { type: 'text', content };
}
