import libflac from 'libflacjs/dist/libflac.js';
import { type Encoder, toInt16 } from './encoder.ts';

const BITS = 16;
const COMPRESSION = 5;
/** `fLaC`, the header of the block, and the block that describes the stream. */
const HEAD_BYTES = 4 + 4 + 34;

/** In a stream the number of samples and the checksum are 0, which the format reads as unknown. */
export function createFlacEncoder(sampleRate: number): Encoder {
  let written: Uint8Array[] = [];
  let head: Uint8Array | undefined;
  let described: StreamInfo | undefined;
  const encoder = libflac.create_libflac_encoder(sampleRate, 1, BITS, COMPRESSION, 0, false, 0);
  const status =
    encoder &&
    libflac.init_encoder_stream(
      encoder,
      (bytes) => void written.push(bytes.slice()),
      (info) => {
        described = info;
      },
    );
  if (!encoder || status !== 0) throw new Error(`libFLAC did not start for ${sampleRate} Hz: ${status}`);

  function take(): Uint8Array {
    const bytes = Buffer.concat(written);
    written = [];
    // Everything before the first frame is written when the encoder starts, so it comes out in one piece.
    head ??= bytes.subarray(0, HEAD_BYTES);
    return bytes;
  }
  return {
    encode(samples) {
      const integers = Int32Array.from(toInt16(samples));
      if (!libflac.FLAC__stream_encoder_process_interleaved(encoder, integers, integers.length))
        throw new Error(`libFLAC failed: ${libflac.FLAC__stream_encoder_get_state(encoder)}`);
      return take();
    },
    finish() {
      libflac.FLAC__stream_encoder_finish(encoder);
      const tail = take();
      return described && head ? { tail, head: describe(head, described) } : { tail };
    },
    close: () => void libflac.FLAC__stream_encoder_delete(encoder),
  };
}

type StreamInfo = { min_framesize: number; max_framesize: number; total_samples: number; md5sum: string };

/** The same beginning with what is known at the end: sizes of the frames, number of samples, checksum. */
function describe(head: Uint8Array, { min_framesize, max_framesize, total_samples, md5sum }: StreamInfo): Uint8Array {
  const known = Buffer.from(head);
  const block = known.subarray(8);
  block.writeUIntBE(min_framesize, 4, 3);
  block.writeUIntBE(max_framesize, 7, 3);
  // Thirty-six bits, the upper four beside the bits of a sample.
  block[13] = ((block[13] as number) & 0xf0) | (Math.floor(total_samples / 2 ** 32) & 0x0f);
  block.writeUInt32BE(total_samples % 2 ** 32, 14);
  block.write(md5sum, 18, 'hex');
  return known;
}
