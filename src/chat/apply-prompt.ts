import type { Call } from '../metering/index.ts';
import { isReference, type PromptService, parseReference } from '../prompts/index.ts';
import type { Message } from './schema/messages.ts';
import type { ChatCompletionRequest } from './schema/requests.ts';

/**
 * A request whose model is a prompt, as the request that it stands for: the prompt's model answers, and its text goes
 * in front of the messages. Any other request is given back as it is.
 */
export async function applyPrompt(
  prompts: Pick<PromptService, 'fill'> | undefined,
  { scope, setHeader }: Call,
  body: ChatCompletionRequest,
): Promise<ChatCompletionRequest> {
  if (!prompts || !isReference(body.model)) return body;
  const { text, model, headers } = await prompts.fill(scope, parseReference(body.model), body.metadata?.variables);
  for (const [name, value] of Object.entries(headers)) setHeader(name, value);
  return { ...body, model, messages: withSystemText(body.messages, text) };
}

// Many templates know one system message only, so one that is there already is extended. Its chunks become lines.
function withSystemText(messages: Message[], text: string): Message[] {
  const [first, ...rest] = messages;
  if (text === '') return messages;
  if (first?.role !== 'system') return [{ role: 'system', content: text }, ...messages];
  const { content } = first;
  const joined =
    typeof content === 'string' ? `${text}\n\n${content}` : [{ type: 'text' as const, text: `${text}\n` }, ...content];
  return [{ ...first, content: joined }, ...rest];
}
