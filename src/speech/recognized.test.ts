import { describe, expect, it } from 'vitest';
import { atEnd } from '../../test/support/cleanup.ts';
import { recognizer } from '../../test/support/python.ts';
import { createEspeakEngine, createEspeakProcess, createKokoroEngine, type SpeechEngine } from '../engines/index.ts';
import { speechWeightsForTests } from '../engines/weights/weights-for-tests.ts';
import { createLog } from '../kit/base/log.ts';
import { shareOfWords, startRecognizer } from './recognizer-for-tests.ts';

const WORDS_MIN = 0.8;
const SENTENCES = [
  'The quick brown fox jumps over the lazy dog.',
  'Please bring three large boxes to the second floor.',
  'My grandmother planted apple trees behind the house.',
  'The train to London leaves at seven in the evening.',
  'Nobody knows why the old bridge was closed last winter.',
  'She opened the window and listened to the rain.',
  'We should meet for lunch on Tuesday or Wednesday.',
  'The museum is free for children and students.',
  'He wrote a long letter to his brother in Canada.',
  'Fresh bread and butter taste better in the morning.',
];
const weights = recognizer ? await speechWeightsForTests() : undefined;
const log = createLog('silent');
const never = new AbortController().signal;

describe.runIf(recognizer)('an independent recognizer', () => {
  // A block that is not run is still read.
  const hear = recognizer ? startRecognizer(recognizer) : () => Promise.resolve('');
  const espeak = createEspeakProcess({ log });
  atEnd(() => espeak.close());

  async function share(speech: SpeechEngine): Promise<number> {
    const shares: number[] = [];
    for (const text of SENTENCES) {
      const pieces: Float32Array[] = [];
      for await (const piece of speech.speak({ text, voice: speech.defaultVoice }, never)) pieces.push(piece);
      const heard = await hear(pieces, speech.sampleRate, 'en');
      shares.push(shareOfWords(text, heard));
      process.stderr.write(`${speech.name}: ${shares.at(-1)?.toFixed(2)} ${heard.trim()}\n`);
    }
    return shares.reduce((sum, one) => sum + one, 0) / shares.length;
  }

  it('hears at least 80% of the words that eSpeak NG says', { timeout: 300_000 }, async () => {
    expect(await share(createEspeakEngine(espeak).speech)).toBeGreaterThanOrEqual(WORDS_MIN);
  });

  it.runIf(weights)('hears at least 80% of the words that Kokoro says', { timeout: 600_000 }, async () => {
    const [modelFile = '', voicesFile = ''] = weights?.files ?? [];
    const engine = createKokoroEngine({ modelFile, voicesFile, espeak, log });
    atEnd(() => engine.close());
    expect(await share(engine.speech)).toBeGreaterThanOrEqual(WORDS_MIN);
  });
});

describe('the share of words', () => {
  it('counts what was heard in its order, whatever the case and the marks', () => {
    expect(shareOfWords('The quick fox.', 'the QUICK, fox')).toBe(1);
    expect(shareOfWords('one two three four', 'one three two')).toBe(0.5);
    expect(shareOfWords('one two', '')).toBe(0);
  });
});
