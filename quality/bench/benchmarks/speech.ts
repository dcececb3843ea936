import { availableParallelism } from 'node:os';
import {
  createEspeakEngine,
  createEspeakProcess,
  createKokoroEngine,
  type EspeakProcess,
} from '../../../src/engines/speech/index.ts';
import { pronounce } from '../../../src/engines/speech/kokoro/pronounce.ts';
import { toIds } from '../../../src/engines/speech/kokoro/vocabulary.ts';
import { findKokoroVoice } from '../../../src/engines/speech/kokoro/voices.ts';
import { speechWeightsForTests } from '../../../src/engines/weights/weights-for-tests.ts';
import { createLog } from '../../../src/kit/base/log.ts';
import type { Benchmark, Figure } from '../benchmark.ts';
import { measureChatsBeside } from '../chats-beside.ts';
import { inTemporaryDir, type StartChild, withChildren } from '../children.ts';
import { median, percentile } from '../statistics.ts';

const script = (name: string) => new URL(`../processes/${name}.ts`, import.meta.url);
const FACTOR_RATIO_MAX = 1.1;
const FIRST_AUDIO_MS_MAX = 250;
const VOICE = 'af_heart';
const SENTENCES = ['The keeper climbed the stairs and lit the lamp.', 'Far out a ship answered.'];
const never = new AbortController().signal;
const log = createLog('silent');

type Weights = { modelFile: string; voicesFile: string };

export const speech: Benchmark = {
  name: 'speech',
  summary: 'Kokoro against onnxruntime alone, the first sound of eSpeak NG, and chats while a voice speaks',
  run: ({ quick, progress }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const found = await speechWeightsForTests();
        if (!found) throw new Error('the weights of the voice are not here, and no source gives them');
        const [modelFile = '', voicesFile = ''] = found.files;
        const espeak = createEspeakProcess({ log });
        try {
          progress('speech: first sound');
          const first = await firstAudio(espeak, quick ? 5 : 30);
          progress('speech: real-time factor');
          const factor = await compareFactors(start, { modelFile, voicesFile }, espeak, quick ? 1 : 2);
          progress('speech: chats beside a voice');
          return [factor, first, await chatsBeside(start, { modelFile, voicesFile }, directory, quick ? 1 : 3)];
        } finally {
          await espeak.close();
        }
      }),
    ),
};

async function firstAudio(espeak: EspeakProcess, rounds: number): Promise<Figure> {
  const { speech: voice } = createEspeakEngine(espeak);
  const times: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const startedAt = performance.now();
    let firstMs: number | undefined;
    // Read to the end: the rest of a sentence would be synthesized before the next one.
    for await (const _ of voice.speak({ text: SENTENCES.join(' '), voice: 'en-us' }, never))
      firstMs ??= performance.now() - startedAt;
    if (round >= 0 && firstMs !== undefined) times.push(firstMs);
  }
  return {
    name: 'first sound of eSpeak NG',
    value: median(times),
    unit: 'ms',
    target: { at: '<', value: FIRST_AUDIO_MS_MAX },
    note: `slowest of ${rounds}: ${percentile(times, 1).toFixed(0)} ms`,
  };
}

async function compareFactors(
  start: StartChild,
  weights: Weights,
  espeak: EspeakProcess,
  rounds: number,
): Promise<Figure> {
  const threads = Math.max(1, availableParallelism() - 1);
  const voice = findKokoroVoice(VOICE);
  if (!voice) throw new Error(`there is no voice ${VOICE}`);
  const sentences: number[][] = [];
  for (const text of SENTENCES)
    sentences.push(toIds(await pronounce([{ text, language: 'en-US' }], voice, espeak, never)));
  const args = [weights.modelFile, weights.voicesFile, String(threads)];
  const bare = start(script('speak-bare'), { role: 'free', args });
  const engine = createKokoroEngine({ ...weights, espeak, log, threads });
  const ours = async () => {
    const startedAt = performance.now();
    let samples = 0;
    const speaking = engine.speech.speak({ text: SENTENCES.join(' '), voice: VOICE }, never);
    for await (const piece of speaking) samples += piece.length;
    return (performance.now() - startedAt) / 1000 / (samples / engine.speech.sampleRate);
  };
  const theirs = () => bare.ask<number>('speak', { sentences, voice: voice.index });
  try {
    await ours();
    await theirs();
    const pairs: { ours: number; bare: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      pairs.push({ ours: await ours(), bare: await theirs() });
      pairs.push({ bare: await theirs(), ours: await ours() });
    }
    const [mine, other] = [median(pairs.map((pair) => pair.ours)), median(pairs.map((pair) => pair.bare))];
    return {
      name: 'real-time factor of Kokoro vs onnxruntime',
      value: median(pairs.map((pair) => pair.ours / pair.bare)),
      unit: '×',
      target: { at: '≤', value: FACTOR_RATIO_MAX },
      note: `${mine.toFixed(2)} vs ${other.toFixed(2)} s per second of speech on ${threads} thread${threads === 1 ? '' : 's'}`,
    };
  } finally {
    await engine.close();
    await bare.end();
  }
}

/** The voice has one thread. */
function chatsBeside(start: StartChild, weights: Weights, directory: string, rounds: number): Promise<Figure> {
  const child = start(script('speak-along'), { role: 'load', args: [weights.modelFile, weights.voicesFile] });
  const work = { name: 'p50 of a chat while a voice speaks', child, unit: 's spoken' };
  return measureChatsBeside(start, directory, work, rounds);
}
