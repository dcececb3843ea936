import { createMp3Encoder as createLame } from 'wasm-media-encoders';
import type { Encoder } from './encoder.ts';

type Lame = Awaited<ReturnType<typeof createLame>>;

const IDLE_MAX = 4;
const RATES = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const;
const FALLBACK_RATE = 24_000;

// Each is a WebAssembly instance that can be configured again; making one takes longer than a sentence does.
const idle: Lame[] = [];

/** A constant bit rate lets players compute the length of a stream. */
export async function createMp3Encoder(sampleRate: number): Promise<Encoder> {
  const lame = idle.pop() ?? (await createLame());
  const outputSampleRate = RATES.find((rate) => rate === sampleRate) ?? FALLBACK_RATE;
  const bitrate = outputSampleRate < 16_000 ? 32 : outputSampleRate > 24_000 ? 96 : 64;
  lame.configure({ channels: 1, sampleRate, outputSampleRate, bitrate });
  let isOpen = true;
  return {
    // What LAME returns lies in its own memory and is overwritten by its next call.
    encode: (samples) => lame.encode([samples]).slice(),
    finish: () => ({ tail: lame.finalize().slice() }),
    close() {
      if (isOpen && idle.length < IDLE_MAX) idle.push(lame);
      isOpen = false;
    },
  };
}
