import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { atEnd } from '../../test/support/cleanup.ts';

export type SentForm = { fields: Record<string, string[]>; file: { name: string; bytes: Buffer } | undefined };

type LiveMessage = { type: string; audio?: string; session?: { audio_format?: { sample_rate: number } } };

export const TRANSCRIPT = {
  text: 'Good morning. How are you?',
  language: 'english',
  duration: 3.2,
  segments: [
    { text: ' Good morning.', start: 0, end: 1.5, avg_logprob: -0.1 },
    { text: ' How are you?', start: 1.6, end: 3.2, avg_logprob: -0.2 },
  ],
};

/** A server that transcribes files as OpenAI's does and live audio as Mistral's, at the network border. */
export async function startTranscriber() {
  const forms: SentForm[] = [];
  let answer = (_form: SentForm, response: ServerResponse) => reply(response, 200, TRANSCRIPT);
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const form = await new Response(Buffer.concat(chunks), {
      headers: { 'content-type': request.headers['content-type'] ?? '' },
    }).formData();
    const fields: Record<string, string[]> = {};
    let file: SentForm['file'];
    for (const [name, value] of form)
      if (typeof value === 'string') fields[name] = [...(fields[name] ?? []), value];
      else file = { name: value.name, bytes: Buffer.from(await value.arrayBuffer()) };
    forms.push({ fields, file });
    answer({ fields, file }, response);
  });
  const live = { rate: 0, sound: [] as Buffer[] };
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    const say = (...messages: object[]) => {
      for (const message of messages) socket.send(JSON.stringify(message));
    };
    let isBegun = false;
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as LiveMessage;
      if (message.type === 'session.update') live.rate = message.session?.audio_format?.sample_rate ?? 0;
      if (message.type === 'input_audio.append') {
        live.sound.push(Buffer.from(message.audio ?? '', 'base64'));
        if (!isBegun) say({ type: 'transcription.text.delta', text: 'Good morning.' });
        isBegun = true;
      }
      if (message.type !== 'input_audio.end') return;
      const { text, segments } = TRANSCRIPT;
      const usage = { prompt_tokens: 1, completion_tokens: 7, total_tokens: 8, prompt_audio_seconds: 4 };
      say(
        { type: 'transcription.text.delta', text: ' How are you?' },
        ...segments.map((segment) => ({ type: 'transcription.segment', ...segment })),
        { type: 'transcription.done', model: 'x', text, language: 'en', segments, usage },
      );
    });
    say({ type: 'session.created', session: {} });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    forms,
    /** What came over WebSockets. */
    live,
    answerWith(next: typeof answer) {
      answer = next;
    },
  };
}

export function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
