import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createWhisperEngine, SAMPLE_RATE, type TranscriptionEngine } from '../../../src/engines/transcribe/index.ts';
import { makeNoise, makeWav } from '../../../src/engines/transcribe/sounds-for-tests.ts';
import { weightsForTests } from '../../../src/engines/weights/weights-for-tests.ts';
import { createLog } from '../../../src/kit/base/log.ts';
import { recognizer } from '../../../test/support/python.ts';
import type { Benchmark, Figure } from '../benchmark.ts';
import { inTemporaryDir } from '../children.ts';
import { CONDITIONS, makeMusic, type Sound } from '../spoken/conditions.ts';
import { errorRate } from '../spoken/error-rate.ts';
import { speakLines } from '../spoken/speak.ts';
import { SPOKEN_TEXTS } from '../spoken/texts.ts';

const POINTS_MAX = 3;
const RECOGNIZE = fileURLToPath(new URL('../../../src/speech/recognize-for-tests.py', import.meta.url));
const never = new AbortController().signal;

type Sample = { language: string; text: string; condition: string; sound: Sound };
type Heard = { language: string; condition: string; ours: number; theirs: number; text: string; theirText: string };
type Recognize = (file: string, rate: number) => Promise<string>;

export const transcriptionErrors: Benchmark = {
  name: 'transcription-errors',
  summary: 'errors of Whisper base in eight languages and six conditions, against faster-whisper of the same size',
  isPossible: () => recognizer !== undefined,
  run: ({ quick, progress }) =>
    inTemporaryDir(async (directory) => {
      const weights = await weightsForTests('whisper-base');
      if (!weights) throw new Error('the weights of Whisper are not here, and no source gives them');
      const samples = await makeSamples(quick, progress);
      const [encoderFile = '', decoderFile = '', tokenizerFile = '', vadFile = ''] = weights.files;
      const engine = createWhisperEngine({
        ...{ encoderFile, decoderFile, tokenizerFile, vadFile, threads: 1, concurrency: 1, hoursMax: 1 },
        ...{ decoderMemoryMib: 512, dir: directory, log: createLog('silent') },
      });
      const reference = startReference();
      try {
        const own = engine.transcription as TranscriptionEngine;
        const invented = await countInvented(own, directory);
        const heard: Heard[] = [];
        for (const [index, sample] of samples.entries()) {
          progress(`transcription-errors: ${index + 1} of ${samples.length}`);
          heard.push(await compare(sample, own, reference.recognize, directory));
        }
        return [...figuresOf(heard), invented];
      } finally {
        reference.end();
        await engine.close();
      }
    }),
};

async function makeSamples(quick: boolean, progress: (text: string) => void): Promise<Sample[]> {
  const wanted = process.env.TRAMONTANE_BENCH_LANGUAGES?.split(',');
  const all = wanted ? SPOKEN_TEXTS.filter(({ language }) => wanted.includes(language)) : SPOKEN_TEXTS;
  const spoken = quick ? all.slice(0, 2) : all;
  const lines = spoken.flatMap(({ language, voices, texts, written = texts }) =>
    texts.map((text, index) => ({
      ...{ language, text, written: written[index] ?? text },
      voice: voices[index] ?? voices[0],
    })),
  );
  const sounds = await speakLines(lines, progress);
  return lines.flatMap(({ language, written: text }, index) => {
    const speech = sounds[index] ?? new Float32Array(0);
    const other = sounds[(index + 1) % sounds.length] ?? speech;
    return CONDITIONS.map(({ name, apply }) => ({ language, text, condition: name, sound: apply(speech, other) }));
  });
}

async function compare(sample: Sample, engine: TranscriptionEngine, recognize: Recognize, directory: string) {
  const { language, text, condition, sound } = sample;
  const raw = join(directory, 'sample.f32');
  writeFileSync(raw, new Uint8Array(sound.samples.buffer, sound.samples.byteOffset, sound.samples.byteLength));
  const [heard, theirText] = [await transcribe(engine, sound, directory), await recognize(raw, sound.rate)];
  return {
    ...{ language, condition, text: heard, theirText },
    ours: errorRate(language, text, heard),
    theirs: errorRate(language, text, theirText),
  };
}

async function transcribe(engine: TranscriptionEngine, { samples, rate }: Sound, directory: string): Promise<string> {
  const file = join(directory, 'sample.wav');
  writeFileSync(file, makeWav(samples, { rate }));
  let text = '';
  const request = { file, hasSegments: false, hasWords: false, diarize: false };
  for await (const parts of engine.transcribe(request, never))
    for (const part of parts) if (part.kind === 'text') text += part.text;
  return text.trim();
}

/** The language is detected by both. */
function startReference(): { recognize: Recognize; end(): void } {
  const child = spawn(recognizer ?? '', [RECOGNIZE], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async recognize(file, rate) {
      child.stdin.write(`${JSON.stringify({ file, rate, language: null })}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('faster-whisper ended');
      return (JSON.parse(value) as { text: string }).text;
    },
    end: () => child.stdin.end(),
  };
}

function figuresOf(heard: Heard[]): Figure[] {
  const points = (values: number[]) =>
    (100 * values.reduce((sum, value) => sum + value, 0)) / Math.max(1, values.length);
  const group = (by: 'language' | 'condition') =>
    [...new Set(heard.map((one) => one[by]))]
      .map((name) => {
        const own = heard.filter((one) => one[by] === name);
        return `${name} ${points(own.map(({ ours }) => ours)).toFixed(1)}/${points(own.map(({ theirs }) => theirs)).toFixed(1)}`;
      })
      .join(', ');
  const [ours, theirs] = [points(heard.map((one) => one.ours)), points(heard.map((one) => one.theirs))];
  return [
    {
      name: 'errors, above those of faster-whisper',
      value: ours - theirs,
      unit: 'points',
      target: { at: '≤', value: POINTS_MAX },
      note: `${ours.toFixed(1)} vs ${theirs.toFixed(1)} of 100 in ${heard.length} recordings; ${group('language')}; ${group('condition')}`,
      rows: heard,
    },
  ];
}

/** Sounds in which nobody speaks. */
async function countInvented(engine: TranscriptionEngine, directory: string): Promise<Figure> {
  const seconds = 20;
  const sounds = {
    silence: new Float32Array(seconds * SAMPLE_RATE),
    'quiet noise': makeNoise(seconds, 0.01),
    noise: makeNoise(seconds),
    'loud noise': makeNoise(seconds, 0.8),
    music: makeMusic(seconds * SAMPLE_RATE).map((value) => value * 0.2),
  };
  const texts: string[] = [];
  for (const [name, samples] of Object.entries(sounds)) {
    const text = await transcribe(engine, { samples, rate: SAMPLE_RATE }, directory);
    if (text !== '') texts.push(`${name}: ${text}`);
  }
  return {
    name: 'sounds without speech in which text was invented',
    value: texts.length,
    unit: `of ${Object.keys(sounds).length}`,
    target: { at: '≤', value: 0 },
    ...(texts.length > 0 && { note: texts.join('; ') }),
  };
}
