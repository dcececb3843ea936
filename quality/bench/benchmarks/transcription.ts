import { readFileSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeFile } from '../../../src/engines/transcribe/decode/decode-file.ts';
import {
  createWhisperEngine,
  type LightFiles,
  SAMPLE_RATE,
  type TranscriptionEngine,
} from '../../../src/engines/transcribe/index.ts';
import { readPcm } from '../../../src/engines/transcribe/read-pcm.ts';
import { audioFixture, makeWav } from '../../../src/engines/transcribe/sounds-for-tests.ts';
import { findWindow } from '../../../src/engines/transcribe/vad/find-window.ts';
import { loadSilero } from '../../../src/engines/transcribe/vad/silero.ts';
import { lightWeightsForTests, weightsForTests } from '../../../src/engines/weights/weights-for-tests.ts';
import { createLog } from '../../../src/kit/base/log.ts';
import type { Benchmark, Figure } from '../benchmark.ts';
import { measureChatsBeside } from '../chats-beside.ts';
import { inTemporaryDir, type StartChild, withChildren } from '../children.ts';
import { measureDelays, measureIdleSessions } from '../live-sessions.ts';
import { speakLines } from '../spoken/speak.ts';
import { SPOKEN_TEXTS } from '../spoken/texts.ts';
import { median } from '../statistics.ts';

const script = (name: string) => new URL(`../processes/${name}.ts`, import.meta.url);
const FACTOR_MAX = 0.3;
const BARE_RATIO_MAX = 1.1;
const MEMORY_MB_MAX = 650;
const GROWTH_MB_MAX = 32;
const HOUR_SECONDS = 3600;
const MEGABYTE = 1_000_000;
const never = new AbortController().signal;
const log = createLog('silent');

type Files = { encoderFile: string; decoderFile: string; tokenizerFile: string; vadFile: string };

export const transcription: Benchmark = {
  name: 'transcription',
  summary: 'Whisper base on one thread: real-time factor, memory over an hour, delays of live words, chats beside it',
  run: ({ quick, progress }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const found = await weightsForTests('whisper-base');
        if (!found) throw new Error('the weights of Whisper are not here, and no source gives them');
        const [encoderFile = '', decoderFile = '', tokenizerFile = '', vadFile = ''] = found.files;
        const files: Files = { encoderFile, decoderFile, tokenizerFile, vadFile };
        const sentences = await loadSentences(directory, progress);
        const minute = join(directory, 'minute.wav');
        writeFileSync(minute, makeWav(repeat(sentences, quick ? 28 : 56, 0.4)));
        progress('transcription: real-time factor');
        const factors = await compareFactors(start, files, minute, directory, quick ? 1 : 3);
        progress('transcription: memory over an hour');
        const memory = await measureMemory(files, sentences, directory, quick ? 300 : HOUR_SECONDS);
        const live = await measureLive(files, directory, progress);
        progress('transcription: idle live sessions');
        const idle = await measureIdleSessions(start, directory);
        progress('transcription: chats beside it');
        const chats = await chatsBeside(start, files, minute, directory, quick ? 1 : 3);
        return [...factors, ...memory, ...live, idle, chats];
      }),
    ),
};

/** Sentences at 16 kHz. The same one again and again would be written three times: repeated text is taken for a mistake. */
async function loadSentences(directory: string, progress: (text: string) => void): Promise<Float32Array[]> {
  const pcmFile = join(directory, 'sentence.pcm');
  await decodeFile({ file: audioFixture('opus.ogg'), pcmFile, secondsMax: 60 }, () => undefined, never);
  const bytes = readFileSync(pcmFile);
  const first = Float32Array.from(new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2), (v) => v / 32_768);
  const english = SPOKEN_TEXTS.find(({ language }) => language === 'en');
  const lines = (english?.texts ?? []).map((text, index) => ({ text, voice: english?.voices[index] ?? '' }));
  return [first, ...(await speakLines(lines, progress))];
}

function repeat(sentences: readonly Float32Array[], seconds: number, pauseSeconds: number): Float32Array {
  const samples = new Float32Array(seconds * SAMPLE_RATE);
  const pause = Math.round(pauseSeconds * SAMPLE_RATE);
  for (let at = 0, index = 0; ; index++) {
    const sentence = sentences[index % sentences.length];
    if (!sentence || at + sentence.length > samples.length) return samples;
    samples.set(sentence, at);
    at += sentence.length + pause;
  }
}

function openEngine(files: Files, dir: string, light?: LightFiles) {
  return createWhisperEngine({
    ...files,
    ...(light && { light: () => light }),
    ...{ threads: 1, concurrency: 1, hoursMax: 4, decoderMemoryMib: 512, dir, log },
  });
}

async function compareFactors(start: StartChild, files: Files, minute: string, directory: string, rounds: number) {
  const engine = openEngine(files, directory);
  const bare = start(script('transcribe-bare'), { role: 'free', args: [files.encoderFile, files.decoderFile, '1'] });
  const pcmFile = join(directory, 'minute.pcm');
  let samples = 0;
  await decodeFile({ file: minute, pcmFile, secondsMax: 600 }, (count) => (samples = count), never);
  const windows = await findWindows(files.vadFile, pcmFile, samples);
  const ours = async () => {
    const startedAt = performance.now();
    let tokens = 0;
    const request = { file: minute, hasSegments: true, hasWords: false, diarize: false };
    for await (const parts of engine.transcription?.transcribe(request, never) ?? [])
      for (const part of parts) if (part.kind === 'end') tokens = part.outputTokens ?? 0;
    return { seconds: (performance.now() - startedAt) / 1000, tokens };
  };
  try {
    const { tokens } = await ours();
    const theirs = () => bare.ask<number>('transcribe', { pcmFile, windows, tokens });
    await theirs();
    const pairs: { ours: number; bare: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const other = round % 2 === 0 ? await theirs() : undefined;
      const { seconds } = await ours();
      pairs.push({ ours: seconds, bare: other ?? (await theirs()) });
    }
    const length = samples / SAMPLE_RATE;
    const [mine, other] = [median(pairs.map((pair) => pair.ours)), median(pairs.map((pair) => pair.bare))];
    const figures: Figure[] = [
      {
        name: 'real-time factor on one thread',
        value: Math.min(...pairs.map((pair) => pair.ours)) / length,
        unit: 's/s',
        target: { at: '≤', value: FACTOR_MAX },
        note: `median ${(mine / length).toFixed(3)}, ${windows.length} windows, ${tokens} tokens, ${length.toFixed(0)} s`,
      },
      {
        name: 'vs a bare loop over the same sessions',
        value: median(pairs.map((pair) => pair.ours / pair.bare)),
        unit: '×',
        target: { at: '≤', value: BARE_RATIO_MAX },
        note: `${mine.toFixed(2)} vs ${other.toFixed(2)} s`,
      },
    ];
    return figures;
  } finally {
    await engine.close();
    await bare.end();
  }
}

async function findWindows(vadFile: string, pcmFile: string, total: number) {
  const silero = await loadSilero(vadFile);
  const file = await open(pcmFile, 'r');
  const windows: { start: number; end: number }[] = [];
  try {
    for (let at = 0; at < total; ) {
      const read = (from: number, count: number) => readPcm(file, from, Math.min(count, total - from));
      const { window, next } = await findWindow(silero, read, at, total);
      if (window) windows.push(window);
      at = Math.max(next, at + 1);
    }
  } finally {
    await file.close();
  }
  return windows;
}

async function measureLive(files: Files, directory: string, progress: (text: string) => void): Promise<Figure[]> {
  const light = await lightWeightsForTests();
  if (!light) throw new Error('the weights of the light model are not here, and no source gives them');
  const engine = openEngine(files, directory, light);
  try {
    return await measureDelays(engine.transcription as TranscriptionEngine, directory, progress);
  } finally {
    await engine.close();
  }
}

/** An hour with some speech in each five minutes; every window costs the same memory, however many there are. */
async function measureMemory(files: Files, sentences: readonly Float32Array[], directory: string, seconds: number) {
  const engine = openEngine(files, directory);
  const samples = new Float32Array(seconds * SAMPLE_RATE);
  for (let at = 0; at + 30 * SAMPLE_RATE < samples.length; at += 300 * SAMPLE_RATE)
    samples.set(repeat(sentences, 28, 0.4), at);
  const file = join(directory, 'hour.wav');
  writeFileSync(file, makeWav(samples));
  const seen: number[] = [];
  try {
    const request = { file, hasSegments: true, hasWords: false, diarize: false };
    for await (const _ of engine.transcription?.transcribe(request, never) ?? []) {
      const largest = Math.max(...engine.pids().map(residentBytes));
      seen.push(largest / MEGABYTE);
    }
  } finally {
    await engine.close();
  }
  const half = seen.slice(Math.floor(seen.length / 2));
  const figures: Figure[] = [
    {
      name: `memory of the process for ${seconds / 60} minutes`,
      value: Math.max(...seen),
      unit: 'MB',
      target: { at: '≤', value: MEMORY_MB_MAX },
      note: `after ${seen.length} turns`,
    },
    {
      name: 'growth of its memory in the second half',
      value: Math.max(...half) - (half[0] ?? 0),
      unit: 'MB',
      target: { at: '≤', value: GROWTH_MB_MAX },
    },
  ];
  return figures;
}

function residentBytes(pid: number): number {
  const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
  return Number(pages) * 4096;
}

/** The transcriber has one thread. */
function chatsBeside(
  start: StartChild,
  { encoderFile, decoderFile, tokenizerFile, vadFile }: Files,
  minute: string,
  directory: string,
  rounds: number,
): Promise<Figure> {
  const args = [encoderFile, decoderFile, tokenizerFile, vadFile, minute];
  const child = start(script('transcribe-along'), { role: 'load', args });
  const work = { name: 'p50 of a chat beside a transcription', child, unit: 's of its CPU' };
  return measureChatsBeside(start, directory, work, rounds);
}
