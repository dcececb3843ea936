const FRAME_BYTES = 4;
const RIFF_HEADER_BYTES = 12;
const FORMAT_BYTES = 30;
const MPEG_LAYER_3 = 0x55;
/** In kbit/s, by the index of the header: MPEG-1, then MPEG-2 and 2.5. */
const BITRATES = [
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];
const RATES = [44_100, 48_000, 32_000];

export type Mp3Frame = { offset: number; bytes: number; sampleRate: number; channels: number; bitrate: number };

/** The first frame of layer III, after a tag if there is one. */
export function findMp3Frame(file: Buffer): Mp3Frame | undefined {
  const offset = file.toString('latin1', 0, 3) === 'ID3' && file.length >= 10 ? 10 + tagBytes(file) : 0;
  if (file.length < offset + FRAME_BYTES) return undefined;
  const header = file.readUInt32BE(offset);
  const version = (header >>> 19) & 3;
  const [bitrateIndex, rateIndex] = [(header >>> 12) & 15, (header >>> 10) & 3];
  const kbps = BITRATES[version === 3 ? 0 : 1]?.[bitrateIndex - 1];
  const rate = RATES[rateIndex];
  const isLayer3 = header >>> 21 === 0x7ff && ((header >>> 17) & 3) === 1 && version !== 1;
  if (!isLayer3 || !kbps || !rate) return undefined;
  const sampleRate = rate / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const samples = version === 3 ? 1152 : 576;
  const bytes = Math.floor((samples / 8) * ((kbps * 1000) / sampleRate)) + ((header >>> 9) & 1);
  return { offset, bytes, sampleRate, channels: ((header >>> 6) & 3) === 3 ? 1 : 2, bitrate: kbps * 1000 };
}

/** The same sound as a WAV file whose samples are MP3 frames, which the format allows and players know. */
export function wrapMp3(file: Buffer): Buffer {
  const frame = findMp3Frame(file);
  if (!frame) throw new Error('this is no MP3 file');
  const data = file.subarray(frame.offset);
  const head = Buffer.alloc(RIFF_HEADER_BYTES + 8 + FORMAT_BYTES + 8);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(head.length - 8 + data.length + (data.length % 2), 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(FORMAT_BYTES, 16);
  head.writeUInt16LE(MPEG_LAYER_3, 20);
  head.writeUInt16LE(frame.channels, 22);
  head.writeUInt32LE(frame.sampleRate, 24);
  head.writeUInt32LE(frame.bitrate / 8, 28);
  head.writeUInt16LE(1, 32);
  // Twelve more bytes: an id that is always 1, that frames have padding as they need it, and one frame to a block.
  head.writeUInt16LE(12, 36);
  head.writeUInt16LE(1, 38);
  head.writeUInt16LE(frame.bytes, 44);
  head.writeUInt16LE(1, 46);
  head.write('data', 50, 'latin1');
  head.writeUInt32LE(data.length, 54);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** Seven bits of each byte count. */
function tagBytes(file: Buffer): number {
  return [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((file[at] as number) & 0x7f), 0);
}
