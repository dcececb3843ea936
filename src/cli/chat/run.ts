import { createInterface } from 'node:readline/promises';
import { systemClock } from '../../kit/base/clock.ts';
import { openApi } from '../shell/api-client.ts';
import { type ChatMessage, createChatClient, type Reply } from './chat-client.ts';
import type { Context, ExitCode } from '../shell/command.ts';
import type { Output } from '../shell/output.ts';

/** Questions and streamed answers over HTTP, as any client would; the speed is shown after each. */
export async function chat(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const api = openApi(context);
  const client = createChatClient({ api, now: systemClock });
  const model = args.text('model') ?? (await client.firstChatModel());
  const system = args.text('system');
  const messages: ChatMessage[] = system === undefined ? [] : [{ role: 'system', content: system }];
  const say = async (content: string, onText: (text: string) => void) => {
    messages.push({ role: 'user', content });
    const reply = await client.ask(model, messages, onText);
    messages.push({ role: 'assistant', content: reply.content });
    return reply;
  };
  const message = args.text('message');
  if (message !== undefined) {
    showReply(output, await say(message, () => undefined));
    return 0;
  }
  if (process.stdin.isTTY) {
    output.note(`${model} at ${api.url}. Ctrl-D ends the talk.`);
    await talk(output, say);
    return 0;
  }
  // Questions from a file or another program, one a line: each gets its answer, and under --json a line of its own.
  for await (const line of createInterface({ input: process.stdin }))
    if (line.trim() !== '') showReply(output, await say(line, () => undefined));
  return 0;
}

type Say = (content: string, onText: (text: string) => void) => Promise<Reply>;

async function talk(output: Output, say: Say): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stderr, prompt: '> ' });
  // Ctrl-D may come while an answer is being written.
  let isOpen = true;
  lines.once('close', () => {
    isOpen = false;
  });
  lines.prompt();
  for await (const line of lines) {
    if (line.trim() !== '') {
      const reply = await say(line, (text) => output.raw(text));
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
  return `[${model}: ${usage.prompt_tokens} + ${usage.completion_tokens} tokens, first after ${firstTokenMs} ms${speed}]`;
}
