import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEspeakProcess, createKokoroEngine } from '../../../src/engines/speech/index.ts';
import { SAMPLE_RATE } from '../../../src/engines/transcribe/index.ts';
import { speechWeightsForTests } from '../../../src/engines/weights/weights-for-tests.ts';
import { createLog } from '../../../src/kit/base/log.ts';

const KOKORO_RATE = 24_000;
const never = new AbortController().signal;
const log = createLog('silent');
/** The same voice says the same again, so this is done once per machine. */
const dir = join(tmpdir(), 'tramontane-bench-speech');

export type Line = { voice: string; text: string };

/** These texts, spoken by Kokoro, at 16 kHz. */
export async function speakLines(lines: readonly Line[], progress: (text: string) => void): Promise<Float32Array[]> {
  const files = lines.map(({ voice, text }) =>
    join(dir, `${createHash('sha256').update(`${voice} ${text}`).digest('hex').slice(0, 24)}.f32`),
  );
  const missing = lines.filter((_, index) => !existsSync(files[index] ?? ''));
  if (missing.length > 0) await synthesize(missing, (line) => files[lines.indexOf(line)] ?? '', progress);
  return files.map((file) => {
    const bytes = readFileSync(file);
    return resample(new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4), KOKORO_RATE, SAMPLE_RATE);
  });
}

async function synthesize(lines: readonly Line[], fileOf: (line: Line) => string, progress: (text: string) => void) {
  const weights = await speechWeightsForTests();
  if (!weights) throw new Error('the weights of the voice are not here, and no source gives them');
  const [modelFile = '', voicesFile = ''] = weights.files;
  mkdirSync(dir, { recursive: true });
  const espeak = createEspeakProcess({ log });
  const engine = createKokoroEngine({ modelFile, voicesFile, espeak, log, threads: 2 });
  try {
    for (const [index, line] of lines.entries()) {
      progress(`a voice says ${index + 1} of ${lines.length} texts`);
      const pieces: Uint8Array[] = [];
      for await (const piece of engine.speech.speak(line, never))
        pieces.push(new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength));
      const file = fileOf(line);
      writeFileSync(`${file}.part`, Buffer.concat(pieces));
      renameSync(`${file}.part`, file);
    }
  } finally {
    await engine.close();
    await espeak.close();
  }
}

/** Linear; a lower rate is smoothed first, as a telephone does. */
export function resample(samples: Float32Array, from: number, to: number): Float32Array {
  const source = to < from ? smoothen(samples, Math.round(from / to)) : samples;
  return Float32Array.from({ length: Math.floor((samples.length * to) / from) }, (_, index) => {
    const place = (index * from) / to;
    const whole = Math.floor(place);
    const rest = place - whole;
    return (source[whole] ?? 0) * (1 - rest) + (source[whole + 1] ?? 0) * rest;
  });
}

function smoothen(samples: Float32Array, width: number): Float32Array {
  if (width < 2) return samples;
  return samples.map((_, at) => {
    let sum = 0;
    for (let i = 0; i < width; i++) sum += samples[at + i] ?? 0;
    return sum / width;
  });
}
