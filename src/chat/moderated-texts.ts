import { badRequest } from '../kit/http/index.ts';
import type { ChatRequest } from '../models/index.ts';
import type { Message } from './schema/messages.ts';
import type { ChatModerationRequest } from './schema/moderations.ts';

/**
 * What guardrails look at: everything that users and tools said, and a prefix that the answer is to begin with. System
 * messages are the developer's own, and what the assistant said before was its answer to input that was checked.
 */
export function guardedTexts({ messages }: ChatRequest): string[] {
  return messages.flatMap((message) => {
    if (message.role === 'system' || (message.role === 'assistant' && !message.prefix)) return [];
    if (typeof message.content === 'string') return [message.content];
    return [message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')];
  });
}

/** The last message of each conversation: it is the one that is judged. */
export function lastTexts({ input }: ChatModerationRequest): string[] {
  const conversations = isOne(input) ? [input] : input;
  return conversations.map((messages) => {
    const last = messages.at(-1);
    if (!last) throw badRequest('There is nothing to moderate: send at least one message.');
    return textOf(last);
  });
}

function isOne(input: ChatModerationRequest['input']): input is Message[] {
  return !Array.isArray(input[0]);
}

function textOf({ content }: Message): string {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  return content.map((chunk) => (chunk.type === 'text' ? chunk.text : '')).join('\n');
}
