import { type ApiError, badRequest } from '../kit/http/index.ts';
import type { Message, ToolCall } from './schema/messages.ts';

type Role = Message['role'];

const FIRST: readonly Role[] = ['system', 'user'];

const AFTER: Record<Role, readonly Role[]> = {
  system: ['user', 'assistant', 'system'],
  user: ['assistant', 'system', 'user'],
  assistant: ['assistant', 'user', 'tool'],
  tool: ['assistant', 'tool'],
};

const TOOL_CALL_ID = /^[a-zA-Z0-9]{9}$/;
const FUNCTION_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** The rules about messages that no schema can state: who may speak after whom, and which calls are answered. */
export function checkMessages(messages: readonly Message[]): void {
  const [first] = messages;
  const last = messages.at(-1);
  if (!first || !last) throw badRequest('A conversation needs at least one message.');
  if (!FIRST.includes(first.role)) throw outOfOrder(`Expected first role system or user but got ${first.role}`);
  /** Calls of the last assistant message that no tool message has answered yet. */
  let open: ToolCall[] = [];
  for (const [index, message] of messages.entries()) {
    const previous = messages[index - 1];
    if (previous && !AFTER[previous.role].includes(message.role))
      throw outOfOrder(`Unexpected role '${message.role}' after role '${previous.role}'`);
    if (message.role === 'tool') open = answerCall(open, message.tool_call_id);
    else if (open.length > 0) throw unanswered();
    if (message.role === 'system') checkSystem(message);
    if (message.role === 'assistant') open = checkAssistant(message, message === last);
  }
  checkLast(last);
  if (open.length > 0) throw unanswered();
}

function answerCall(open: ToolCall[], id: string): ToolCall[] {
  if (!open.some((call) => call.id === id)) throw outOfOrder(`Unexpected tool call id ${id} in tool results`);
  return open.filter((call) => call.id !== id);
}

function unanswered(): ApiError {
  return outOfOrder('Not the same number of function calls and responses');
}

function checkSystem({ content }: Message & { role: 'system' }): void {
  if (content.length === 0) throw badRequest('The content of a system message must not be empty.');
}

function checkAssistant(message: Message & { role: 'assistant' }, isLast: boolean): ToolCall[] {
  const calls = message.tool_calls ?? [];
  if (!message.content?.length && calls.length === 0 && !message.prefix)
    throw badRequest('An assistant message must have content or tool_calls.');
  if (message.prefix && !isLast)
    throw badRequest('Only the last message may be an assistant message with prefix true.');
  if (message.prefix && calls.length > 0)
    throw badRequest('An assistant message with prefix true cannot have tool_calls.');
  const seen = new Set<string>();
  for (const { id, function: called } of calls) {
    if (!TOOL_CALL_ID.test(id))
      throw badRequest(`Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`);
    if (seen.has(id)) throw badRequest(`Duplicate tool call id ${id} in one assistant message.`);
    seen.add(id);
    checkFunctionName(called.name);
  }
  return calls;
}

export function checkFunctionName(name: string): void {
  if (FUNCTION_NAME.test(name)) return;
  throw badRequest(
    `Function name was ${name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.`,
  );
}

function checkLast(last: Message): void {
  if (last.role === 'user' || last.role === 'tool' || (last.role === 'assistant' && last.prefix)) return;
  throw badRequest(`Expected last role User or Tool (or Assistant with prefix True) for serving but got ${last.role}`);
}

function outOfOrder(message: string): ApiError {
  return badRequest(message, { type: 'invalid_request_message_order', code: '3230' });
}
