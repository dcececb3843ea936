import { WebSocket } from 'ws';
import { CommandFailure } from '../../operator/command-failure.ts';

const PIECE_BYTES = 32 * 1024;
const BUFFERED_BYTES_MAX = 256 * 1024;

export type LiveMessage = { type: string; text?: unknown; error?: { message?: string } };
type Session = { audio_format: { encoding: string; sample_rate: number } } & Record<string, unknown>;

export type LiveClient = {
  append(sound: Uint8Array): Promise<void>;
  end(): Promise<void>;
  close(): void;
  /** Until the last one; throws what the server refuses. */
  messages: AsyncIterable<LiveMessage>;
};

/** A live transcription at the operator's own server. */
export async function openLive(
  { url, apiKey }: { url: string; apiKey: string },
  model: string,
  session: Session,
): Promise<LiveClient> {
  const address = `${url.replace(/^http/, 'ws')}/v1/audio/transcriptions/realtime?model=${encodeURIComponent(model)}`;
  const socket = new WebSocket(address, { headers: { authorization: `Bearer ${apiKey}` }, perMessageDeflate: false });
  const waiting: LiveMessage[] = [];
  let isClosed = false;
  let wake: (() => void) | undefined;
  socket.on('message', (data) => {
    waiting.push(JSON.parse(String(data)) as LiveMessage);
    wake?.();
  });
  socket.on('close', () => {
    isClosed = true;
    wake?.();
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.on('error', () =>
      reject(new CommandFailure(`No server is running at ${url}. Start one with npx tramontane start.`)),
    );
    socket.once('unexpected-response', (_request, response) => {
      response.resume();
      reject(new CommandFailure(`The server refused the session (status ${response.statusCode}).`));
    });
  });
  const send = (message: object) =>
    new Promise<void>((resolve) => {
      if (socket.readyState !== socket.OPEN) return resolve();
      const text = JSON.stringify(message);
      const isFast = socket.bufferedAmount + text.length <= BUFFERED_BYTES_MAX;
      socket.send(text, () => isFast || resolve());
      if (isFast) resolve();
    });
  await send({ type: 'session.update', session });

  async function* read(): AsyncGenerator<LiveMessage> {
    for (;;) {
      const message = waiting.shift();
      if (message) {
        if (message.type === 'error') throw new CommandFailure(message.error?.message ?? 'The transcription failed.');
        yield message;
        if (message.type === 'transcription.done') return;
      } else if (isClosed) throw new CommandFailure('The server ended the session early.');
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }

  return {
    async append(sound) {
      for (let at = 0; at < sound.length; at += PIECE_BYTES) {
        const piece = Buffer.from(sound.subarray(at, at + PIECE_BYTES));
        await send({ type: 'input_audio.append', audio: piece.toString('base64') });
      }
    },
    end: () => send({ type: 'input_audio.end' }),
    close: () => socket.close(),
    messages: read(),
  };
}
