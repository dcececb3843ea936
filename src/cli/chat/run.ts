import { createInterface } from 'node:readline/promises';
import { systemClock } from '../../kit/base/clock.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import { type ApiClient, openApi, readEvents } from '../shell/api-client.ts';
import type { Context } from '../shell/command.ts';
import { findChatModel } from '../shell/find-chat-model.ts';
import type { Output } from '../shell/output.ts';

type Message = { role: 'system' | 'user' | 'assistant'; content: string };
type Usage = { prompt_tokens: number; completion_tokens: number };
type Reply = {
  model: string;
  content: string;
  usage: Usage;
  firstTokenMs: number;
  tokensPerSecond: number | undefined;
};
type Chunk = {
  model: string;
  usage?: Usage | null;
  choices?: { delta: { content?: unknown } }[];
  message?: string;
};
type Send = (content: string, onText?: (text: string) => void) => Promise<Reply>;

/** Sends messages and streams replies; shows the speed after each reply. */
export async function chat(context: Context): Promise<undefined> {
  const { args, output } = context;
  const api = openApi(context);
  const model = args.text('model') ?? (await findChatModel(api));
  const system = args.text('system');
  const messages: Message[] = system === undefined ? [] : [{ role: 'system', content: system }];
  const send: Send = async (content, onText) => {
    messages.push({ role: 'user', content });
    const reply = await requestReply(api, model, messages, onText);
    messages.push({ role: 'assistant', content: reply.content });
    return reply;
  };
  const message = args.text('message');
  if (message !== undefined) {
    showReply(output, await send(message));
    return;
  }
  if (process.stdin.isTTY) {
    output.note(`Chatting with ${model} at ${api.url}. Press Ctrl-D to exit.`);
    await chatOnTerminal(output, send);
    return;
  }
  // Piped input has one message per line; under --json each reply is a line.
  for await (const line of createInterface({ input: process.stdin }))
    if (line.trim() !== '') showReply(output, await send(line));
}

async function requestReply(
  api: ApiClient,
  model: string,
  messages: Message[],
  onText: (text: string) => void = () => undefined,
): Promise<Reply> {
  const startedAt = systemClock();
  const response = await api.fetch('/v1/chat/completions', {
    method: 'POST',
    body: JSON.stringify({ model, messages, stream: true }),
  });
  const usage = { prompt_tokens: 0, completion_tokens: 0 };
  const reply: Reply = { model, content: '', usage, firstTokenMs: 0, tokensPerSecond: undefined };
  for await (const data of readEvents(response)) {
    if (data === '[DONE]') break;
    const chunk = JSON.parse(data) as Chunk;
    if (!chunk.choices) throw new CommandFailure(chunk.message ?? 'The response ended early.');
    // Reasoning arrives as a list of chunks and is not shown.
    const content = chunk.choices[0]?.delta.content;
    const text = typeof content === 'string' ? content : '';
    if (text !== '' && reply.content === '') reply.firstTokenMs = systemClock() - startedAt;
    reply.model = chunk.model;
    reply.content += text;
    reply.usage = chunk.usage ?? reply.usage;
    if (text !== '') onText(text);
  }
  const writingMs = systemClock() - startedAt - reply.firstTokenMs;
  if (writingMs > 0 && reply.usage.completion_tokens > 1)
    reply.tokensPerSecond = ((reply.usage.completion_tokens - 1) * 1000) / writingMs;
  return reply;
}

async function chatOnTerminal(output: Output, send: Send): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, prompt: '> ' });
  // Ctrl-D may come while a reply is streaming.
  let isOpen = true;
  lines.once('close', () => {
    isOpen = false;
  });
  lines.prompt();
  for await (const line of lines) {
    if (line.trim() !== '') {
      const reply = await send(line, output.raw);
      output.raw('\n');
      output.note(describeSpeed(reply));
    }
    if (isOpen) lines.prompt();
  }
}

function showReply(output: Output, reply: Reply): void {
  const { model, content, usage, tokensPerSecond: tokens_per_second } = reply;
  output.result({ model, content, usage, tokens_per_second }, content);
  output.note(describeSpeed(reply));
}

function describeSpeed({ model, usage, tokensPerSecond, firstTokenMs }: Reply): string {
  const speed = tokensPerSecond === undefined ? '' : `, ${tokensPerSecond.toFixed(1)} tokens/s`;
  return `[${model}: ${usage.prompt_tokens} + ${usage.completion_tokens} tokens, first token after ${firstTokenMs} ms${speed}]`;
}
