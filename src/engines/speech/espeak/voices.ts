import type { PresetVoice } from '../../engine.ts';
import { voiceTable } from './voice-table.ts';

export type EspeakVoice = PresetVoice & {
  /** What the library calls it. */
  identifier: string;
};

/** Every voice is the same synthetic man, speaking another language. */
export const espeakVoices: readonly EspeakVoice[] = voiceTable
  .trim()
  .split('\n')
  .map((line) => {
    const [identifier = '', language = '', name = ''] = line.split('|');
    const slug = (identifier.split('/').at(-1) ?? '').toLowerCase();
    return { slug, name, languages: [language], gender: 'male', identifier };
  });

export const DEFAULT_ESPEAK_VOICE = 'en-us';

const bySlug = new Map(espeakVoices.map((voice) => [voice.slug, voice]));

export function findEspeakVoice(slug: string): EspeakVoice | undefined {
  return bySlug.get(slug.toLowerCase());
}

/** The voice of a language: the exact tag first, then the plain language; undefined where there is none. */
export function espeakVoiceFor(language: string): EspeakVoice | undefined {
  const wanted = language.toLowerCase();
  const [plain = ''] = wanted.split('-');
  const tagOf = ({ languages: [tag = ''] }: EspeakVoice) => tag.toLowerCase();
  return (
    espeakVoices.find((voice) => tagOf(voice) === wanted) ??
    espeakVoices.find((voice) => tagOf(voice) === plain) ??
    espeakVoices.find((voice) => tagOf(voice).startsWith(`${plain}-`))
  );
}
