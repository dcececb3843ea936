import { type RawReply, raw } from '../kit/http/index.ts';

const HEAD = '{"audio_data":"';
const TAIL = '"}';
/** Of three bytes base64 makes four characters; a piece that is a multiple of three needs no padding. */
const PIECE_BYTES = 3 * 64 * 1024;

/** The whole answer, written piece by piece: as one string a long speech would stop the server for a while. */
export function renderResponse(file: readonly Uint8Array[]): RawReply {
  const bytes = file.reduce((sum, { length }) => sum + length, 0);
  const length = HEAD.length + 4 * Math.ceil(bytes / 3) + TAIL.length;
  return raw(write(file), 'application/json; charset=utf-8', { 'content-length': String(length) });
}

async function* write(file: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(HEAD);
  let rest: Buffer = Buffer.alloc(0);
  for (const chunk of file) {
    for (let start = 0; start < chunk.length; start += PIECE_BYTES) {
      const bytes = Buffer.concat([rest, chunk.subarray(start, start + PIECE_BYTES)]);
      const whole = bytes.length - (bytes.length % 3);
      rest = bytes.subarray(whole);
      yield Buffer.from(bytes.toString('base64', 0, whole));
    }
  }
  yield Buffer.from(rest.toString('base64') + TAIL);
}
