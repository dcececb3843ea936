import type { ChatRequest } from '../engine.ts';

/** The length of everything the model reads, for servers that do not count tokens. */
export function countCharacters({ messages, tools }: ChatRequest): number {
  let characters = 0;
  for (const message of messages) {
    if (typeof message.content === 'string') characters += message.content.length;
    else for (const part of message.content) characters += part.type === 'text' ? part.text.length : 0;
    if (message.role === 'assistant')
      for (const call of message.toolCalls) characters += call.name.length + call.arguments.length;
  }
  for (const tool of tools) characters += tool.name.length + tool.description.length;
  return characters;
}
