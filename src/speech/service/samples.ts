import type { Clock } from '../../kit/base/clock.ts';
import { type Call, type Meter, type Run, startRun } from '../../metering/index.ts';
import type { EncodingThread } from '../encode/encoding-thread.ts';
import { encodeSpeech, keepWhole, type Spoken } from '../encode-speech.ts';
import type { Preset } from '../presets.ts';
import { speakMetered } from '../speak-metered.ts';
import type { Speaker } from '../speakers.ts';
import { estimateTokens, soundTokens } from '../usage.ts';

/** By the first subtag of a language. */
const TEXTS: Record<string, string> = {
  de: 'Guten Tag. So klingt meine Stimme.',
  en: 'Hello. This is how my voice sounds.',
  es: 'Hola. Así suena mi voz.',
  fr: 'Bonjour. Voici le son de ma voix.',
  hi: 'नमस्ते। मेरी आवाज़ ऐसी है।',
  it: 'Ciao. Ecco come suona la mia voce.',
  ja: 'こんにちは。これが私の声です。',
  nl: 'Hallo. Zo klinkt mijn stem.',
  pl: 'Dzień dobry. Tak brzmi mój głos.',
  pt: 'Olá. É assim que soa a minha voz.',
  zh: '你好。这就是我的声音。',
};
/** A sample has some 150 KB. */
const KEPT_MAX = 64;
const SAMPLE_MS_MAX = 120_000;

export type Samples = (call: Call, speaker: Speaker, preset: Preset) => Promise<Uint8Array>;

/** A few words in each voice, spoken and billed at the first request, and cached. */
export function createSamples(encoding: EncodingThread, accounts: { now: Clock; meter: Meter }): Samples {
  const kept = new Map<string, Promise<Uint8Array>>();

  async function speak({ speech }: Speaker, voice: string, text: string, run: Run): Promise<Uint8Array> {
    // No signal: the first client may leave while others wait for the same sample.
    const signal = AbortSignal.timeout(SAMPLE_MS_MAX);
    const encoder = encoding.open('wav', speech.sampleRate);
    const spoken: Spoken = { seconds: 0 };
    try {
      const pieces = speakMetered(speech, { text, voice }, signal, run);
      const encoded = encodeSpeech(pieces, encoder, speech.sampleRate, spoken);
      return Buffer.concat((await keepWhole(encoded)) ?? []);
    } finally {
      run.add(soundTokens(spoken.seconds));
      encoder.close();
    }
  }

  return async (call, speaker, preset) => {
    // By engine too: one that stands in while weights are fetched sounds different.
    const key = `${speaker.model.id} ${speaker.speech.name} ${preset.slug}`;
    const found = kept.get(key);
    if (found) return found;
    const text = sampleText(preset.languages);
    const cost = { kind: 'speech' as const, model: speaker.model.id, estimatedTokens: estimateTokens(text) };
    // Refused for this caller alone, so before the sample that others may wait for.
    const run = await startRun(accounts, call, cost);
    const begun = kept.get(key);
    const spoken = begun ?? speak(speaker, preset.slug, text, run);
    spoken.then(
      () => run.settle(200),
      (error) => run.fail(error),
    );
    if (begun) return begun;
    kept.set(key, spoken);
    spoken.catch(() => kept.delete(key));
    const [oldest] = kept.keys();
    if (kept.size > KEPT_MAX && oldest) kept.delete(oldest);
    return spoken;
  };
}

/** A sample text in the first of these languages that has one, else in English. */
function sampleText(languages: readonly string[]): string {
  const own = languages.map((language) => TEXTS[language.toLowerCase().split('-')[0] ?? '']).find(Boolean);
  return own ?? (TEXTS.en as string);
}
