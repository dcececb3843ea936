import type { Need } from './needs.ts';

/** Public model names that differ only in size, date or version. */
export type Family = {
  name: string;
  /** What requests may ask it for; what it is known for comes first. */
  needs: readonly [Need, ...Need[]];
  /** Words that its names have beside sizes, dates and versions. */
  words?: readonly string[];
};

const NAME_CHARACTERS_MAX = 64;
const SEGMENTS_MAX = 6;
const SIZE = /^(?:nano|tiny|mini|small|medium|large|[0-9]{1,3}(?:\.[0-9]{1,2})?(?:x[0-9]{1,3})?b)$/;
const VERSION = /^v?[0-9]{1,8}(?:\.[0-9]{1,4}){0,2}$/;

const TEXT = ['chat', 'vision', 'audio', 'fim'] as const;
const SPEECH: Family = { name: 'voxtral-tts', needs: ['speech'], words: ['tts'] };
const TRANSCRIPTION: Family = {
  name: 'voxtral-transcribe',
  needs: ['transcription'],
  words: ['transcribe', 'realtime'],
};

export const families: readonly Family[] = [
  { name: 'mistral-tiny', needs: TEXT },
  { name: 'mistral-small', needs: TEXT, words: ['creative'] },
  { name: 'mistral-medium', needs: TEXT },
  { name: 'mistral-large', needs: TEXT, words: ['pixtral'] },
  { name: 'mistral-saba', needs: TEXT },
  { name: 'mistral-nemo', needs: TEXT },
  { name: 'mistral-vibe-cli', needs: TEXT, words: ['with', 'tools', 'fast'] },
  { name: 'ministral', needs: TEXT },
  { name: 'magistral', needs: TEXT },
  { name: 'devstral', needs: TEXT },
  { name: 'open-mistral', needs: TEXT, words: ['nemo'] },
  { name: 'open-mixtral', needs: TEXT },
  { name: 'open-codestral', needs: ['fim', ...TEXT], words: ['mamba'] },
  { name: 'codestral', needs: ['fim', ...TEXT], words: ['mamba'] },
  { name: 'pixtral', needs: ['vision', ...TEXT] },
  { name: 'voxtral', needs: ['audio', ...TEXT, 'transcription'] },
  SPEECH,
  TRANSCRIPTION,
  { name: 'mistral-embed', needs: ['embeddings'] },
  { name: 'codestral-embed', needs: ['embeddings'] },
  { name: 'mistral-moderation', needs: ['moderation'] },
  { name: 'mistral-ocr', needs: ['ocr'], words: ['completion'] },
];

const byName = new Map(families.map((family) => [family.name, family]));

/** The family of a name such as `mistral-small-2506`; undefined for a typo or any other name. */
export function matchFamily(name: string): Family | undefined {
  if (name.length > NAME_CHARACTERS_MAX) return undefined;
  const segments = (name.startsWith('labs-') ? name.slice('labs-'.length) : name).split('-');
  for (let length = Math.min(3, segments.length); length > 0; length--) {
    const family = byName.get(segments.slice(0, length).join('-'));
    if (family) return continues(family, segments.slice(length));
  }
  return undefined;
}

/** The same family, or the part of it that a word such as `tts` names. */
function continues(begun: Family, suffix: string[]): Family | undefined {
  const family = begun.name === 'voxtral' ? partOfVoxtral(begun, suffix) : begun;
  if (suffix.length > SEGMENTS_MAX) return undefined;
  const rest = suffix.at(-1) === 'latest' ? suffix.slice(0, -1) : suffix;
  const isKnown = (segment: string) =>
    VERSION.test(segment) || isSize(family, segment) || family.words?.includes(segment) === true;
  return rest.every(isKnown) ? family : undefined;
}

function partOfVoxtral(voxtral: Family, suffix: string[]): Family {
  return [SPEECH, TRANSCRIPTION].find(({ words }) => words?.some((word) => suffix.includes(word))) ?? voxtral;
}

/** `mistral-small` has its size already, as a word; `mistral-large-3-675b` adds the exact one. */
function isSize({ name }: Family, segment: string): boolean {
  return SIZE.test(segment) && (/[0-9]b$/.test(segment) || !name.startsWith('mistral-'));
}
