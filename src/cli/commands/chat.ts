import { createInterface } from 'node:readline/promises';
import { CommandFailure } from '../../command-failure.ts';
import { systemClock } from '../../kit/base/clock.ts';
import { type ChatMessage, createChatClient, type Reply } from '../chat-client.ts';
import type { Context, ExitCode } from '../command.ts';

/** Questions and streamed answers over HTTP, as any client would; the speed is shown after each. */
export async function chat(context: Context): Promise<ExitCode> {
  const { args, output, environment } = context;
  const apiKey = environment.TRAMONTANE_API_KEY ?? environment.TRAMONTANE_BOOTSTRAP_API_KEY;
  if (!apiKey)
    throw new CommandFailure('Set TRAMONTANE_API_KEY to a key of the platform. A new one: npx tramontane keys create');
  const url = args.text('url') ?? environment.TRAMONTANE_URL ?? 'http://127.0.0.1:4747';
  const client = createChatClient({ url, apiKey, now: systemClock });
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
  output.note(`${model} at ${url}. Ctrl-D ends the talk.`);
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
