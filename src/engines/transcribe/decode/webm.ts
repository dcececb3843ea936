import { Refusal } from '../../process/protocol.ts';
import { type Decoder, NOTHING, type Sound } from './decoder.ts';

const SEGMENT = 0x18538067;
const CLUSTER = 0x1f43b675;
const TRACKS = 0x1654ae6b;
const TRACK = 0xae;
const TRACK_NUMBER = 0xd7;
const CODEC = 0x86;
const CODEC_PRIVATE = 0x63a2;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;
const SIMPLE_BLOCK = 0xa3;
/** Their content is looked into; all others are skipped. */
const ENTERED: ReadonlySet<number> = new Set([SEGMENT, CLUSTER, BLOCK_GROUP]);
const BLOCK_BYTES_MAX = 8 * 1024 * 1024;
const TRACKS_BYTES_MAX = 1024 * 1024;
const LACED = 0x06;
const OPUS_RATE = 48_000;

type Element = { id: number; size: number; headBytes: number };

/** Opus in WebM or Matroska, as browsers record it. */
export async function createWebmDecoder(): Promise<Decoder> {
  const { createOpusDecoder } = await import('@audio/decode-opus/core');
  const opus = await createOpusDecoder();
  let held: Buffer = Buffer.alloc(0);
  let skip = 0;
  let track: number | undefined;

  function decode(bytes: Uint8Array): Sound {
    held = held.length === 0 ? Buffer.from(bytes) : Buffer.concat([held, bytes]);
    const packets: Uint8Array[] = [];
    while (step(packets));
    return decodePackets(packets);
  }

  /** False when more bytes are needed. */
  function step(packets: Uint8Array[]): boolean {
    if (skip > 0) {
      const now = Math.min(skip, held.length);
      held = held.subarray(now);
      skip -= now;
      if (skip > 0) return false;
    }
    const element = readElement(held);
    if (!element) return false;
    const { id, size, headBytes } = element;
    if (ENTERED.has(id)) {
      held = held.subarray(headBytes);
      return true;
    }
    const isBlock = id === BLOCK || id === SIMPLE_BLOCK;
    if (!isBlock && id !== TRACKS) {
      skip = headBytes + size;
      return true;
    }
    if (size > (isBlock ? BLOCK_BYTES_MAX : TRACKS_BYTES_MAX)) throw damaged('a part of it claims to be huge');
    if (held.length < headBytes + size) return false;
    const content = held.subarray(headBytes, headBytes + size);
    if (isBlock) takeBlock(content, packets);
    else chooseTrack(content);
    held = held.subarray(headBytes + size);
    return true;
  }

  function chooseTrack(tracks: Buffer): void {
    const codecs: string[] = [];
    for (const { id, content } of children(tracks)) {
      if (id !== TRACK) continue;
      const fields = new Map([...children(content)].map((field) => [field.id, field.content]));
      const codec = fields.get(CODEC)?.toString('latin1') ?? '';
      codecs.push(codec);
      if (codec !== 'A_OPUS' || track !== undefined) continue;
      track = readNumber(fields.get(TRACK_NUMBER) ?? Buffer.alloc(0));
      const head = fields.get(CODEC_PRIVATE);
      const channels = Math.min(2, Math.max(1, head?.[9] ?? 1));
      opus.configure({
        sampleRate: OPUS_RATE,
        channels,
        preSkip: head && head.length > 11 ? head.readUInt16LE(10) : 0,
      });
    }
    if (track === undefined)
      throw new Refusal(
        'audio_format_unsupported',
        `The file is WebM or Matroska without Opus sound (${codecs.join(', ') || 'no tracks'}). Send its sound as wav, mp3, flac or ogg.`,
      );
  }

  function takeBlock(block: Buffer, packets: Uint8Array[]): void {
    const number = readVint(block, 0);
    if (!number || number.value !== track) return;
    const flags = block[number.bytes + 2] ?? 0;
    // Nobody laces Opus in practice; such a block would not decode.
    if ((flags & LACED) === 0) packets.push(block.subarray(number.bytes + 3));
  }

  function decodePackets(packets: Uint8Array[]): Sound {
    if (packets.length === 0) return NOTHING;
    const { channelData, sampleRate } = opus.decodeFrames(packets);
    return { channels: channelData, sampleRate };
  }

  return {
    decode,
    flush() {
      if (track === undefined) throw damaged('it ends before its sound begins');
      return NOTHING;
    },
    close: () => opus.free(),
  };
}

function* children(bytes: Buffer): Generator<{ id: number; content: Buffer }> {
  for (let rest = bytes; ; ) {
    const element = readElement(rest);
    if (!element) return;
    const end = element.headBytes + element.size;
    yield { id: element.id, content: rest.subarray(element.headBytes, end) };
    if (end >= rest.length) return;
    rest = rest.subarray(end);
  }
}

function readElement(bytes: Buffer): Element | undefined {
  const id = readVint(bytes, 0, true);
  const size = id && readVint(bytes, id.bytes);
  return size && { id: id.value, size: size.value, headBytes: id.bytes + size.bytes };
}

/** A number whose first bits tell its length. */
function readVint(bytes: Buffer, at: number, keepsMark = false): { value: number; bytes: number } | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  const length = Math.clz32(first) - 23;
  if (length > 8) throw damaged('a number in it has no end');
  if (at + length > bytes.length) return undefined;
  let value = keepsMark ? first : first & (0xff >> length);
  let isUnknown = (first & (0xff >> length)) === 0xff >> length;
  for (let i = 1; i < length; i++) {
    const byte = bytes[at + i] as number;
    value = value * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  // A stream does not know how long its parts will be; they are entered, so this is never skipped.
  return { value: isUnknown && !keepsMark ? Number.MAX_SAFE_INTEGER : value, bytes: length };
}

function readNumber(bytes: Buffer): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

function damaged(why: string): Refusal {
  return new Refusal('audio_damaged', `The WebM file cannot be decoded: ${why}.`);
}
