import type { ChatRequest, FimRequest } from '../models/index.ts';

const CHARACTERS_PER_TOKEN = 4;

/** The input's tokens by its length: for reservations, and for what is billed when a client leaves early. */
export function estimatePrompt(request: ChatRequest | FimRequest): number {
  if ('prompt' in request) return tokensOf(request.prompt.length + request.suffix.length);
  let characters = 0;
  for (const { content } of request.messages) {
    if (typeof content === 'string') characters += content.length;
    else for (const part of content) characters += part.type === 'text' ? part.text.length : 0;
  }
  for (const { name, description } of request.tools) characters += name.length + description.length;
  return tokensOf(characters);
}

function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
