import { connect, type Socket } from 'node:net';
import { answer } from './answer.ts';

// Live sessions that have sent a tenth of a second and then nothing. Raw sockets: only the server is measured.
const OPENING_AT_ONCE = 20;
const ANSWER_MS = 30_000;
const SOUND = Buffer.alloc(3200).toString('base64');
let sockets: Socket[] = [];

answer({
  async open({ port, key, count }: { port: number; key: string; count: number }): Promise<number> {
    let next = 0;
    const open = async () => {
      while (next++ < count) sockets.push(await openSession(port, key));
    };
    await Promise.all(Array.from({ length: OPENING_AT_ONCE }, open));
    return sockets.length;
  },
  close(): void {
    for (const socket of sockets) socket.destroy();
    sockets = [];
  },
});

function openSession(port: number, key: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    const timer = setTimeout(() => socket.destroy(new Error('no answer for a live session')), ANSWER_MS);
    let seen = '';
    socket.on('error', reject);
    socket.on('data', (data) => {
      seen += data.toString('latin1');
      if (!seen.startsWith('HTTP/1.1 101')) reject(new Error(`Not a 101: ${seen.slice(0, 200)}`));
      else if (seen.includes('session.updated')) {
        clearTimeout(timer);
        socket.removeAllListeners('data').pause();
        socket.write(frame({ type: 'input_audio.append', audio: SOUND }), () => resolve(socket));
      }
    });
    socket.write(
      [
        'GET /v1/audio/transcriptions/realtime?model=whisper-base HTTP/1.1',
        'host: 127.0.0.1',
        'connection: Upgrade',
        'upgrade: websocket',
        'sec-websocket-version: 13',
        `sec-websocket-key: ${Buffer.alloc(16, 1).toString('base64')}`,
        `authorization: Bearer ${key}\r\n\r\n`,
      ].join('\r\n'),
    );
    socket.write(frame({ type: 'session.update', session: { language: 'en' } }));
  });
}

/** A text message of a client; its mask is zero. */
function frame(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.from([0x81, 0xfe, body.length >> 8, body.length & 255, 0, 0, 0, 0]);
  if (body.length >= 126) return Buffer.concat([head, body]);
  return Buffer.concat([Buffer.from([0x81, 0x80 | body.length, 0, 0, 0, 0]), body]);
}
