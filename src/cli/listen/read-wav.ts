import { CommandFailure } from '../../operator/command-failure.ts';
import type { Format } from './source.ts';

const HEADER_BYTES_MAX = 64 * 1024;
const ENCODINGS: Record<string, string> = {
  '1/16': 'pcm_s16le',
  '1/32': 'pcm_s32le',
  '3/32': 'pcm_f32le',
  '6/8': 'pcm_alaw',
  '7/8': 'pcm_mulaw',
};
/** The header that announces the real format further inside. */
const EXTENSIBLE = 0xfffe;

/** What comes after the header of a WAV file, and its format; anything else is raw. */
export async function readWav(
  bytes: AsyncIterable<Uint8Array>,
  raw: Format,
): Promise<{ format: Format; sound: AsyncIterable<Uint8Array> }> {
  const iterator = bytes[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  const more = async () => {
    const { done, value } = await iterator.next();
    if (done) return false;
    head = Buffer.concat([head, value]);
    return true;
  };
  while (head.length < 12 && (await more()));
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WAVE')
    return { format: raw, sound: rest(head, iterator) };
  let format: Format | undefined;
  for (let at = 12; ; ) {
    while (head.length < at + 8) if (!(await more())) throw broken();
    const [id, size] = [head.toString('latin1', at, at + 4), head.readUInt32LE(at + 4)];
    if (id === 'data') {
      if (!format) throw broken();
      return { format, sound: rest(head.subarray(at + 8), iterator) };
    }
    if (size > HEADER_BYTES_MAX) throw broken();
    while (head.length < at + 8 + size) if (!(await more())) throw broken();
    if (id === 'fmt ' && size >= 16) format = readFormat(head.subarray(at + 8, at + 8 + size));
    at += 8 + size + (size % 2);
  }
}

function readFormat(bytes: Buffer): Format {
  const stated = bytes.readUInt16LE(0);
  const kind = stated === EXTENSIBLE && bytes.length >= 26 ? bytes.readUInt16LE(24) : stated;
  const encoding = ENCODINGS[`${kind}/${bytes.readUInt16LE(14)}`];
  if (encoding === undefined || bytes.readUInt16LE(2) !== 1)
    throw new CommandFailure(
      'This WAV file cannot be followed live: it must have one channel of 16 or 32 bits. Use npx tramontane transcribe.',
    );
  return { encoding, sample_rate: bytes.readUInt32LE(4) };
}

async function* rest(head: Buffer, iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
}

function broken(): CommandFailure {
  return new CommandFailure('This WAV file is broken: it ends within its header.');
}
