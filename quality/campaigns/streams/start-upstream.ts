import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const PACE_MS = 2;
const LONG_WORD = `${'w'.repeat(8000)} `;
const SOUND = Buffer.alloc(9600, 1);

/** One response of the model server: how much was sent, and when it was cut off. */
export type Given = { pieces: number; isBrokenOff: boolean; closed: Promise<number> };

export type Upstream = {
  url: string;
  /** The response to the request with this mark in its text. */
  given(mark: string): Given | undefined;
  close(): void;
};

/**
 * A model server for chat, completions and speech: `say <n> <mark>` streams n words; `endless` never ends by itself,
 * and `flood` sends long words as quickly as they are read.
 */
export async function startUpstream(): Promise<Upstream> {
  const answers = new Map<string, Given>();
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => void answer(answers, request, response, text).catch(() => response.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    given: (mark) => answers.get(mark),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(
  answers: Map<string, Given>,
  { url = '' }: IncomingMessage,
  response: ServerResponse,
  text: string,
): Promise<void> {
  const [, count = '1', mark = ''] = /say (\d+|endless|flood) ([\w-]+)/.exec(text) ?? [];
  const closed = Promise.withResolvers<number>();
  const given: Given = { pieces: 0, isBrokenOff: false, closed: closed.promise };
  answers.set(mark, given);
  response.on('close', () => {
    given.isBrokenOff = !response.writableFinished;
    closed.resolve(performance.now());
  });
  const isSound = url.endsWith('/audio/speech');
  response.writeHead(200, { 'content-type': isSound ? 'audio/pcm' : 'text/event-stream' });
  const last = Number.isNaN(Number(count)) ? Number.POSITIVE_INFINITY : Number(count);
  const isFlood = count === 'flood';
  while (given.pieces < last && !response.destroyed) {
    given.pieces++;
    const piece = isSound ? SOUND : event({ delta: { content: isFlood ? LONG_WORD : `word${given.pieces} ` } }, url);
    if (!response.write(piece)) await Promise.race([new Promise((go) => response.once('drain', go)), closed.promise]);
    await delay(isFlood ? 0 : PACE_MS);
  }
  if (response.destroyed) return;
  if (isSound) return void response.end();
  const usage = { prompt_tokens: 7, completion_tokens: given.pieces, total_tokens: 7 + given.pieces };
  response.write(event({ delta: {}, finish_reason: 'stop' }, url));
  response.end(`data: ${JSON.stringify({ id: 'c', choices: [], usage })}\n\ndata: [DONE]\n\n`);
}

function event(choice: { delta: { content?: string }; finish_reason?: string }, url: string): string {
  const { delta, finish_reason = null } = choice;
  // Legacy completions carry the text directly in the choice.
  const said =
    url.endsWith('/chat/completions') || url.endsWith('/fim/completions') ? { delta } : { text: delta.content };
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, ...said, finish_reason }] })}\n\n`;
}
