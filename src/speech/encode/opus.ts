import openOpus from 'opusscript/build/opusscript_native_wasm.js';
import { createResampler } from '../../kit/base/resample.ts';
import { type Encoder, type Finished, toInt16 } from './encoder.ts';
import { createOggPages, fitInPage } from './ogg-pages.ts';

/** Opus takes only these rates, and counts time at the last of them. */
const RATES = [8000, 12_000, 16_000, 24_000, 48_000] as const;
const CLOCK_RATE = 48_000;
const FRAMES_PER_SECOND = 50;
const TICKS_PER_FRAME = CLOCK_RATE / FRAMES_PER_SECOND;
/** What the encoder looks ahead (6.5 ms): so much of the decoded beginning is to be skipped. */
const SKIPPED_TICKS = 312;
const PACKET_BYTES_MAX = 1275;

const AUDIO = 2049;
const SET_BITRATE = 4002;
const SET_COMPLEXITY = 4010;
const SET_SIGNAL = 4024;
const VOICE = 3001;
const BITRATE = 32_000;
/** From fastest (0) to best (10): half the arithmetic of the best, with no audible difference in speech. */
const COMPLEXITY = 5;

// One module for all encoders of the thread; each has memory of its own in it.
const opus = openOpus();

/** Opus in an Ogg container (RFC 7845), of one voice. */
export function createOpusEncoder(sampleRate: number): Encoder {
  const rate = RATES.find((known) => known >= sampleRate) ?? CLOCK_RATE;
  const resampler = rate === sampleRate ? undefined : createResampler(sampleRate, rate);
  const frames = openFrames(rate);
  const ogg = createOggPages(1);
  let taken = 0;
  let encodedFrames = 0;
  let hasHeaders = false;
  let rest = new Float32Array(0);

  /** Full frames become packets, and these pages; what is short of a frame waits. */
  function write(samples: Float32Array): Uint8Array[] {
    const input = new Float32Array(rest.length + samples.length);
    input.set(rest);
    input.set(samples, rest.length);
    const pages = hasHeaders ? [] : headers(sampleRate).map((packet) => ogg.page([packet], 0));
    hasHeaders = true;
    let packets: Uint8Array[] = [];
    let start = 0;
    for (; start + frames.samples <= input.length; start += frames.samples) {
      const packet = frames.encode(input.subarray(start, start + frames.samples));
      if (!fitInPage([...packets, packet])) {
        pages.push(ogg.page(packets, encodedFrames * TICKS_PER_FRAME));
        packets = [];
      }
      packets.push(packet);
      encodedFrames++;
    }
    if (packets.length > 0) pages.push(ogg.page(packets, encodedFrames * TICKS_PER_FRAME));
    rest = input.slice(start);
    return pages;
  }

  function finish(): Finished {
    const pages = resampler ? write(resampler.finish()) : [];
    // Silence after the end pushes out what the encoder still looks at; the last position says where the sound ends.
    const end = SKIPPED_TICKS + Math.round((taken * CLOCK_RATE) / sampleRate);
    const packets: Uint8Array[] = [];
    do {
      const frame = new Float32Array(frames.samples);
      frame.set(rest);
      rest = new Float32Array(0);
      packets.push(frames.encode(frame));
      encodedFrames++;
    } while (encodedFrames * TICKS_PER_FRAME < end);
    return { tail: Buffer.concat([...pages, ogg.page(packets, end, 'last')]) };
  }

  return {
    encode(samples) {
      taken += samples.length;
      return Buffer.concat(write(resampler ? resampler.resample(samples) : samples));
    },
    finish,
    close: frames.close,
  };
}

function headers(sampleRate: number): Uint8Array[] {
  const head = Buffer.alloc(19);
  head.write('OpusHead', 0, 'latin1');
  head[8] = 1;
  head[9] = 1;
  head.writeUInt16LE(SKIPPED_TICKS, 10);
  head.writeUInt32LE(sampleRate, 12);
  const vendor = Buffer.from('tramontane');
  const tags = Buffer.alloc(16 + vendor.length);
  tags.write('OpusTags', 0, 'latin1');
  tags.writeUInt32LE(vendor.length, 8);
  vendor.copy(tags, 12);
  return [head, tags];
}

/**
 * The package's own wrapper writes samples beside the memory it asked for, which a second encoder then owns; so its
 * module is used directly. It takes each byte of a sample in a 16-bit cell.
 */
function openFrames(rate: number) {
  const samples = rate / FRAMES_PER_SECOND;
  const handler = new opus.OpusScriptHandler(rate, 1, AUDIO);
  handler._encoder_ctl(SET_BITRATE, BITRATE);
  handler._encoder_ctl(SET_COMPLEXITY, COMPLEXITY);
  handler._encoder_ctl(SET_SIGNAL, VOICE);
  const input = opus._malloc(samples * 4);
  const output = opus._malloc(PACKET_BYTES_MAX);
  let isOpen = true;
  return {
    samples,
    encode(frame: Float32Array): Uint8Array {
      // Looked up each time: the memory may have grown, and then its views are new ones.
      const cells = opus.HEAPU16.subarray(input / 2, input / 2 + samples * 2);
      for (const [i, sample] of toInt16(frame).entries()) {
        cells[2 * i] = sample & 0xff;
        cells[2 * i + 1] = (sample >> 8) & 0xff;
      }
      const length = handler._encode(input, samples * 2, output, samples);
      if (length <= 0) throw new Error(`libopus failed: ${length}`);
      return opus.HEAPU8.slice(output, output + length);
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      opus.OpusScriptHandler.destroy_handler(handler);
      opus._free(input);
      opus._free(output);
    },
  };
}
