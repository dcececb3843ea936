import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SAMPLE_RATE, type TranscriptionEngine } from '../../src/engines/transcribe/index.ts';
import { makeWav } from '../../src/engines/transcribe/sounds-for-tests.ts';
import { testModelsDir } from '../../src/engines/weights/weights-for-tests.ts';
import type { Figure } from './benchmark.ts';
import type { Child, StartChild } from './children.ts';
import { playLive, type SpokenWord } from './live-delays.ts';
import { speakLines } from './spoken/speak.ts';
import { SPOKEN_TEXTS } from './spoken/texts.ts';
import { percentile } from './statistics.ts';

const script = (name: string) => new URL(`./processes/${name}.ts`, import.meta.url);
const PAUSE_SAMPLES = SAMPLE_RATE;
const IDLE_SESSIONS = 200;
const IDLE_KIB_MAX = 32;
const WARM_SESSIONS = 20;
const SETTLE_MS = 1000;
const KIB = 1024;
const never = new AbortController().signal;

type Live = { language: string; sessions: number; secondsMax: number };
const ENGLISH: Live = { language: 'en', sessions: 2, secondsMax: 1.2 };
const OTHER: Live = { language: 'fr', sessions: 1, secondsMax: 3 };

/** How long after they were said words come, in sessions at the same time. */
export async function measureDelays(
  engine: TranscriptionEngine,
  directory: string,
  progress: (text: string) => void,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const live of [ENGLISH, OTHER]) {
    const { language, sessions, secondsMax } = live;
    const samples = await spokenIn(language, progress);
    const spoken = await wordTimes(engine, samples, directory);
    progress(`transcription: live, ${language}`);
    // The first session waits for the model to load.
    await playLive(engine, samples.subarray(0, 3 * SAMPLE_RATE), [], { language });
    const results = await Promise.all(
      Array.from({ length: sessions }, () => playLive(engine, samples, spoken, { language })),
    );
    const delays = results.flatMap(({ delaysMs }) => delaysMs);
    const words = results.reduce((sum, result) => sum + result.words, 0);
    if (delays.length < words * 0.75) throw new Error(`of ${words} words ${delays.length} were heard`);
    const of = (share: number) => percentile(delays, share) / 1000;
    figures.push({
      name: `live, ${language}, ${sessions} session${sessions > 1 ? 's' : ''}: p95 from a word to its text`,
      value: of(0.95),
      unit: 's',
      target: { at: '≤', value: secondsMax },
      note: `p50 ${of(0.5).toFixed(2)}, slowest ${of(1).toFixed(2)} s; ${delays.length} of ${words} words heard alike`,
    });
  }
  return figures;
}

async function spokenIn(language: string, progress: (text: string) => void): Promise<Float32Array> {
  const found = SPOKEN_TEXTS.find((one) => one.language === language);
  const lines = (found?.texts ?? []).map((text, index) => ({ text, voice: found?.voices[index] ?? '' }));
  const sounds = await speakLines(lines, progress);
  const whole = new Float32Array(sounds.reduce((sum, { length }) => sum + length + PAUSE_SAMPLES, 0));
  let at = 0;
  for (const sound of sounds) {
    whole.set(sound, at);
    at += sound.length + PAUSE_SAMPLES;
  }
  return whole;
}

/** When each word ends, as Whisper finds it in the whole recording. */
async function wordTimes(engine: TranscriptionEngine, samples: Float32Array, directory: string): Promise<SpokenWord[]> {
  const file = join(directory, 'live.wav');
  writeFileSync(file, makeWav(samples));
  const words: SpokenWord[] = [];
  const request = { file, hasSegments: false, hasWords: true, diarize: false };
  for await (const parts of engine.transcribe(request, never))
    for (const part of parts) if (part.kind === 'word') words.push({ text: part.text, end: part.end });
  return words;
}

/** What a session costs the server that waits for more sound. */
export async function measureIdleSessions(start: StartChild, directory: string): Promise<Figure> {
  const env = { TRAMONTANE_DATA_DIR: join(directory, 'idle'), TRAMONTANE_MODELS_DIR: testModelsDir };
  const platform = start(script('serve-platform'), { role: 'server', env, nodeArgs: ['--expose-gc'] });
  const address = await platform.ask<{ port: number; key: string }>('address');
  const holder = start(script('hold-live-sessions'), { role: 'load' });
  await holder.ask('open', { ...address, count: WARM_SESSIONS });
  await holder.ask('close');
  const before = await settledMemory(platform);
  await holder.ask('open', { ...address, count: IDLE_SESSIONS });
  const after = await settledMemory(platform);
  await holder.ask('close');
  const kib = (pick: (usage: NodeJS.MemoryUsage) => number) => (pick(after) - pick(before)) / KIB / IDLE_SESSIONS;
  return {
    name: `memory of a live session that waits, of ${IDLE_SESSIONS}`,
    value: kib(({ rss }) => rss),
    unit: 'KiB',
    target: { at: '≤', value: IDLE_KIB_MAX },
    note: `heap ${kib(({ heapUsed }) => heapUsed).toFixed(1)}, external ${kib(({ external }) => external).toFixed(1)} KiB`,
  };
}

async function settledMemory(child: Child): Promise<NodeJS.MemoryUsage> {
  await delay(SETTLE_MS);
  await child.ask('settle');
  return child.ask('memory');
}
