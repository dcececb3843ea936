import type { EngineMessage, EngineTool, EngineToolCall } from '../../engine.ts';
import { Refusal } from '../../process/protocol.ts';
import type { CallStyle } from '../grammar/answer-grammar.ts';

export type TemplateMessage = { role: string; content: string } & Record<string, unknown>;

type Input = {
  messages: EngineMessage[];
  tools: EngineTool[];
  instruction: string | undefined;
  knowsTools: boolean;
  callStyle: CallStyle;
};

/**
 * Our messages in the form that chat templates expect. A template that knows no tools gets them in words: described in
 * the system message, calls in the text of the answer, results as messages of the user.
 */
export function templateMessages({ messages, tools, instruction, knowsTools, callStyle }: Input): TemplateMessage[] {
  const list = messages.map((message) => (knowsTools ? native(message) : inWords(message, callStyle)));
  const added = [!knowsTools && tools.length > 0 ? describeTools(tools, callStyle) : '', instruction ?? ''];
  const text = added.filter((part) => part !== '').join('\n\n');
  if (text === '') return list;
  const [first, ...rest] = list;
  if (first?.role !== 'system') return [{ role: 'system', content: text }, ...list];
  return [{ ...first, content: `${first.content}\n\n${text}` }, ...rest];
}

function native(message: EngineMessage): TemplateMessage {
  switch (message.role) {
    case 'assistant':
      return {
        role: 'assistant',
        content: message.content,
        ...(message.thinking ? { reasoning_content: message.thinking } : {}),
        ...(message.toolCalls.length > 0 ? { tool_calls: message.toolCalls.map(templateCall) } : {}),
      };
    case 'tool':
      return {
        role: 'tool',
        content: message.content,
        tool_call_id: message.toolCallId,
        ...(message.name ? { name: message.name } : {}),
      };
    default:
      return { role: message.role, content: textOf(message.content) };
  }
}

function inWords(message: EngineMessage, style: CallStyle): TemplateMessage {
  if (message.role === 'tool') {
    return { role: 'user', content: `<tool_response>\n${message.content}\n</tool_response>` };
  }
  if (message.role !== 'assistant' || message.toolCalls.length === 0) return native(message);
  const calls = message.toolCalls.map((call) => `${style.open}${writeCall(call, style)}${style.close}`);
  return { role: 'assistant', content: [message.content, ...calls].filter((part) => part !== '').join('\n') };
}

function writeCall(call: EngineToolCall, { argumentsKey }: CallStyle): string {
  return JSON.stringify({ name: call.name, [argumentsKey]: argumentsOf(call) });
}

function templateCall(call: EngineToolCall): unknown {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: argumentsOf(call) } };
}

function argumentsOf(call: EngineToolCall): unknown {
  try {
    return JSON.parse(call.arguments);
  } catch {
    return call.arguments;
  }
}

function textOf(content: Extract<EngineMessage, { role: 'user' | 'system' }>['content']): string {
  if (typeof content === 'string') return content;
  return content
    .map((part) => {
      if (part.type === 'text') return part.text;
      throw new Refusal(
        'content_unsupported',
        'This model reads text only. Send images and audio to a model with that capability; the operator adds one under models: in tramontane.yaml, with capabilities: { completion_chat: true, vision: true }.',
      );
    })
    .join('');
}

function describeTools(tools: EngineTool[], style: CallStyle): string {
  const list = tools.map(({ name, description, parameters }) => JSON.stringify({ name, description, parameters }));
  const example = `${style.open}{"name": <name>, "${style.argumentsKey}": <arguments>}${style.close}`;
  return `You can call these tools:\n${list.join('\n')}\nTo call one, answer only:\n${example}`;
}
