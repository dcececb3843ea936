type ChatMessage = { role?: unknown; content?: unknown };

/**
 * A conversation as one text: each message with the role of who wrote it. Training and requests use the same form, so
 * that a classifier sees what it was trained on. Pictures, sound and documents are left out.
 */
export function renderChat(messages: readonly ChatMessage[]): string {
  return messages
    .map(({ role, content }) => ({ role: typeof role === 'string' ? role : 'user', text: textOf(content).trim() }))
    .filter(({ text }) => text !== '')
    .map(({ role, text }) => `${role}: ${text}`)
    .join('\n');
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const texts = content.map((chunk: { type?: unknown; text?: unknown } | null) =>
    chunk?.type === 'text' && typeof chunk.text === 'string' ? chunk.text : '',
  );
  return texts.filter((text) => text !== '').join('\n');
}
