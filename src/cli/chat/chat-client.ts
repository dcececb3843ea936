import type { Clock } from '../../kit/base/clock.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import type { ApiClient } from '../shell/api-client.ts';

export type ChatMessage = { role: 'system' | 'user' | 'assistant'; content: string };
type Usage = { prompt_tokens: number; completion_tokens: number };
export type Reply = {
  model: string;
  content: string;
  usage: Usage;
  firstTokenMs: number;
  tokensPerSecond: number | undefined;
};

type Chunk = { model: string; usage?: Usage | null; choices: { delta: { content?: unknown } }[] };
type Card = { id: string; capabilities: { completion_chat?: boolean } };

export type ChatClient = {
  firstChatModel(): Promise<string>;
  /** Streams one answer; `onText` hears each piece as it comes. */
  ask(model: string, messages: ChatMessage[], onText: (text: string) => void): Promise<Reply>;
};

export function createChatClient({ api, now }: { api: ApiClient; now: Clock }): ChatClient {
  return {
    async firstChatModel() {
      const { data } = await api.get<{ data: Card[] }>('/v1/models');
      const card = data.find(({ capabilities }) => capabilities.completion_chat);
      if (!card)
        throw new CommandFailure('The server has no model that can chat. Name one under models: in its configuration.');
      return card.id;
    },
    async ask(model, messages, onText) {
      const startedAt = now();
      const response = await api.fetch('/v1/chat/completions', {
        method: 'POST',
        body: JSON.stringify({ model, messages, stream: true }),
      });
      const reply: Reply = {
        model,
        content: '',
        usage: { prompt_tokens: 0, completion_tokens: 0 },
        firstTokenMs: 0,
        tokensPerSecond: undefined,
      };
      for await (const chunk of readChunks(response)) {
        // Thoughts come as lists of chunks; the talk shows the answer.
        const content = chunk.choices[0]?.delta.content;
        const text = typeof content === 'string' ? content : '';
        if (text !== '' && reply.content === '') reply.firstTokenMs = now() - startedAt;
        reply.model = chunk.model;
        reply.content += text;
        reply.usage = chunk.usage ?? reply.usage;
        if (text !== '') onText(text);
      }
      const writingMs = now() - startedAt - reply.firstTokenMs;
      if (writingMs > 0 && reply.usage.completion_tokens > 1)
        reply.tokensPerSecond = ((reply.usage.completion_tokens - 1) * 1000) / writingMs;
      return reply;
    },
  };
}

async function* readChunks(response: Response): AsyncGenerator<Chunk> {
  const decoder = new TextDecoder();
  let buffer = '';
  for await (const bytes of response.body ?? []) {
    buffer += decoder.decode(bytes, { stream: true });
    const events = buffer.split('\n\n');
    buffer = events.pop() ?? '';
    for (const event of events) {
      const data = event.startsWith('data: ') ? event.slice(6) : '';
      if (data === '[DONE]') return;
      if (data === '') continue;
      const chunk = JSON.parse(data) as Chunk & { message?: string };
      if (!chunk.choices) throw new CommandFailure(chunk.message ?? 'The answer broke off.');
      yield chunk;
    }
  }
  throw new CommandFailure('The answer broke off before its end.');
}
