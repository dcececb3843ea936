/** The sounds and marks that Kokoro knows, each run of them beginning at its id. Ids between the runs are not in use. */
const RUNS: readonly (readonly [number, string])[] = [
  [1, ';:,.!?'],
  [9, '—…"()“” \u0303ʣʥʦʨᵝ\uab67AI'],
  [31, 'O'],
  [33, 'Q'],
  [35, 'ST'],
  [39, 'W'],
  [41, 'Yᵊabcdef'],
  [50, 'hijklmnopqrstuvwxyzɑɐɒæ'],
  [75, 'βɔɕç'],
  [80, 'ɖðʤə'],
  [85, 'ɚɛɜ'],
  [90, 'ɟ'],
  [92, 'ɡ'],
  [99, 'ɥ'],
  [101, 'ɨɪʝ'],
  [110, 'ɯɰŋɳɲɴø'],
  [118, 'ɸθœ'],
  [123, 'ɹ'],
  [125, 'ɾɻ'],
  [128, 'ʁɽʂʃʈʧ'],
  [135, 'ʊʋ'],
  [138, 'ʌɣɤ'],
  [142, 'χʎ'],
  [147, 'ʒʔ'],
  [156, 'ˈˌː'],
  [162, 'ʰ'],
  [164, 'ʲ'],
  [169, '↓'],
  [171, '→↗↘'],
  [177, 'ᵻ'],
];

const ids = new Map(RUNS.flatMap(([first, signs]) => [...signs].map((sign, index) => [sign, first + index] as const)));

/** The ids of a text in phonemes; what the model has never seen is left out. */
export function toIds(phonemes: string): number[] {
  return [...phonemes].flatMap((sign) => ids.get(sign) ?? []);
}

/** What the model takes at once, without the marks at both ends. */
export const TOKENS_MAX = 510;
const SPACE = toIds(' ')[0] ?? 0;

/** Sequences that fit into the model, cut between words where there are any. */
export function* splitIds(sequence: readonly number[]): Generator<number[], void> {
  for (let at = 0; at < sequence.length; ) {
    const piece = sequence.slice(at, at + TOKENS_MAX);
    const isLast = at + piece.length >= sequence.length;
    const space = piece.lastIndexOf(SPACE);
    const length = isLast || space <= 0 ? piece.length : space + 1;
    yield piece.slice(0, length);
    at += length;
  }
}
