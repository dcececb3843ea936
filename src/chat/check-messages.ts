import { chatErrors } from './errors.ts';
import type { Message, ToolCall } from './schema/messages.ts';

type Role = Message['role'];

const FIRST: readonly Role[] = ['system', 'user'];

const AFTER: Record<Role, readonly Role[]> = {
  system: ['user', 'assistant', 'system'],
  user: ['assistant', 'system', 'user'],
  assistant: ['assistant', 'user', 'tool'],
  tool: ['assistant', 'tool'],
};

const UNANSWERED = 'Not the same number of function calls and responses';
const TOOL_CALL_ID = /^[a-zA-Z0-9]{9}$/;
const FUNCTION_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** The rules that no schema can state: the order of roles, and the match of tool calls and results. */
export function checkMessages(messages: readonly Message[], anyOrder = false): void {
  const [first] = messages;
  const last = messages.at(-1);
  if (!first || !last) throw chatErrors.messages_missing('A conversation needs at least one message.');
  if (!anyOrder && !FIRST.includes(first.role))
    throw chatErrors.message_order_invalid(`Expected first role system or user but got ${first.role}`);
  /** Calls of the last assistant message without a result yet. */
  let open: ToolCall[] = [];
  for (const [index, message] of messages.entries()) {
    const previous = messages[index - 1];
    if (!anyOrder && previous && !AFTER[previous.role].includes(message.role))
      throw chatErrors.message_order_invalid(`Unexpected role '${message.role}' after role '${previous.role}'`);
    if (message.role === 'tool') open = closeCall(open, message.tool_call_id);
    else if (open.length > 0) throw chatErrors.message_order_invalid(UNANSWERED);
    if (message.role === 'system') checkSystem(message);
    if (message.role === 'assistant') open = checkAssistant(message, message === last);
  }
  if (!anyOrder) checkLast(last);
  if (open.length > 0) throw chatErrors.message_order_invalid(UNANSWERED);
}

function closeCall(open: ToolCall[], id: string): ToolCall[] {
  if (!open.some((call) => call.id === id))
    throw chatErrors.message_order_invalid(`Unexpected tool call id ${id} in tool results`);
  return open.filter((call) => call.id !== id);
}

function checkSystem({ content }: Message & { role: 'system' }): void {
  if (content.length === 0)
    throw chatErrors.message_content_missing('The content of a system message must not be empty.');
}

function checkAssistant(message: Message & { role: 'assistant' }, isLast: boolean): ToolCall[] {
  const calls = message.tool_calls ?? [];
  if (!message.content?.length && calls.length === 0 && !message.prefix)
    throw chatErrors.message_content_missing('An assistant message must have content or tool_calls.');
  if (message.prefix && !isLast)
    throw chatErrors.prefix_invalid('Only the last message may be an assistant message with prefix true.');
  if (message.prefix && calls.length > 0)
    throw chatErrors.prefix_invalid('An assistant message with prefix true cannot have tool_calls.');
  const seen = new Set<string>();
  for (const { id, function: called } of calls) {
    if (!TOOL_CALL_ID.test(id))
      throw chatErrors.tool_call_id_invalid(`Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`);
    if (seen.has(id)) throw chatErrors.tool_call_id_invalid(`Duplicate tool call id ${id} in one assistant message.`);
    seen.add(id);
    checkFunctionName(called.name);
  }
  return calls;
}

export function checkFunctionName(name: string): void {
  if (!FUNCTION_NAME.test(name)) throw chatErrors.function_name_invalid(name);
}

function checkLast(last: Message): void {
  if (last.role === 'user' || last.role === 'tool' || (last.role === 'assistant' && last.prefix)) return;
  throw chatErrors.last_role_invalid(last.role);
}
