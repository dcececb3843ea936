import { bytesOf, type Encoder, NO_BYTES, toInt16 } from './encoder.ts';

const HEADER_BYTES = 44;
const SAMPLE_BYTES = 2;
/** What programs that write to a pipe put where a length belongs that they do not know. */
const UNKNOWN = 0xffff_ffff;

/** RIFF with sixteen-bit PCM, which everything plays. */
export function createWavEncoder(sampleRate: number): Encoder {
  let dataBytes = 0;
  return {
    encode(samples) {
      const data = bytesOf(toInt16(samples));
      const isFirst = dataBytes === 0;
      dataBytes += data.length;
      return isFirst ? Buffer.concat([wavHeader(sampleRate, UNKNOWN), data]) : data;
    },
    finish: () => ({ tail: NO_BYTES, head: wavHeader(sampleRate, dataBytes) }),
    close: () => undefined,
  };
}

function wavHeader(sampleRate: number, dataBytes: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(Math.min(dataBytes + HEADER_BYTES - 8, UNKNOWN), 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * SAMPLE_BYTES, 28);
  header.writeUInt16LE(SAMPLE_BYTES, 32);
  header.writeUInt16LE(8 * SAMPLE_BYTES, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(Math.min(dataBytes, UNKNOWN), 40);
  return header;
}
