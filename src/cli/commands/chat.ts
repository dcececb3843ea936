import { createInterface } from 'node:readline/promises';
import { systemClock } from '../../kit/base/clock.ts';
import { openApi } from '../api-client.ts';
import { type ChatMessage, createChatClient, type Reply } from '../chat-client.ts';
import type { Context, ExitCode } from '../command.ts';

/** Questions and streamed answers over HTTP, as any client would; the speed is shown after each. */
export async function chat(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const api = openApi(context);
  const client = createChatClient({ api, now: systemClock });
  const model = args.text('model') ?? (await client.firstChatModel());
  const system = args.text('system');
  const messages: ChatMessage[] = system === undefined ? [] : [{ role: 'system', content: system }];
  const message = args.text('message');
  if (message !== undefined) {
    messages.push({ role: 'user', content: message });
    const reply = await client.ask(model, messages, () => undefined);
    output.result(
      { model: reply.model, content: reply.content, usage: reply.usage, tokens_per_second: reply.tokensPerSecond },
      reply.content,
    );
    output.note(describeSpeed(reply));
    return 0;
  }
  output.note(`${model} at ${api.url}. Ctrl-D ends the talk.`);
  const lines = createInterface({ input: process.stdin, output: process.stderr, prompt: '> ' });
  lines.prompt();
  for await (const line of lines) {
    if (line.trim() !== '') {
      messages.push({ role: 'user', content: line });
      const reply = await client.ask(model, messages, (text) => output.raw(text));
      output.raw('\n');
      messages.push({ role: 'assistant', content: reply.content });
      output.note(describeSpeed(reply));
    }
    lines.prompt();
  }
  return 0;
}

function describeSpeed({ model, usage, tokensPerSecond, firstTokenMs }: Reply): string {
  const speed = tokensPerSecond === undefined ? '' : `, ${tokensPerSecond.toFixed(1)} tokens/s`;
  return `[${model}: ${usage.prompt_tokens} + ${usage.completion_tokens} tokens, first after ${firstTokenMs} ms${speed}]`;
}
