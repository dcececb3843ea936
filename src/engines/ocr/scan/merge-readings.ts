import type { Word } from '../layout/elements.ts';
import { areaOf, type Box, heightOf, median, overlapOf } from '../layout/geometry.ts';

/** The first reading saw the page as it is: another word in its place must be surer by this much. */
const SURER = 0.06;
/** Of a line that only the second reading has, or a word in the place of another: less is as good as a guess. */
const NEW_SURE = 0.7;
const NEW_WORD_SURE = 0.3;
/** What only the first has, in the middle of what the second is sure of, is dust below this. */
const DUST = 0.5;
const AROUND_SURE = 0.87;
const OVER = 0.3;

type Reading = 'first' | 'second';
type Place = Record<Reading, Word[]>;

/** Of each place that both have read, the surer words; of the rest, what is likely text. */
export function mergeReadings(first: readonly Word[][], second: readonly Word[][]): Word[] {
  const around = linesOver(first, second);
  const likely = new Set(second.filter((line) => certaintyOf(line) >= NEW_SURE).flat());
  const places = findPlaces(first.flat(), second.flat());
  const grow = growthOf(places);
  const toSize = (word: Word): Word => ({ ...word, size: word.size * grow });
  return places.flatMap((place) => {
    if (place.second.length === 0) return place.first.filter((word) => !(word.confidence < DUST && around.has(word)));
    if (place.first.length === 0)
      return place.second.filter((word) => likely.has(word) && word.confidence >= NEW_WORD_SURE).map(toSize);
    const certainty = certaintyOf(place.second);
    const isBetter = certainty >= NEW_SURE && certainty > certaintyOf(place.first) + SURER;
    return isBetter ? place.second.map(toSize) : place.first;
  });
}

/** Weighed by letters. */
export function certaintyOf(words: readonly Word[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  return letters === 0 ? 0 : words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0) / letters;
}

/** Words of the first reading in lines that the second is sure of. */
function linesOver(first: readonly Word[][], second: readonly Word[][]): Set<Word> {
  const found = new Set<Word>();
  for (const line of first) {
    const over = second.filter((other) => other.some((word) => line.some(({ box }) => lieOver(box, word.box)))).flat();
    if (over.length >= line.length / 2 && certaintyOf(over) >= AROUND_SURE) for (const word of line) found.add(word);
  }
  return found;
}

/** Words that lie over each other, directly or through others. */
function findPlaces(first: readonly Word[], second: readonly Word[]): Place[] {
  const left: Record<Reading, Set<Word>> = { first: new Set(first), second: new Set(second) };
  const places: Place[] = [];
  for (const start of [...first, ...second]) {
    const side: Reading = left.first.has(start) ? 'first' : 'second';
    if (!left[side].delete(start)) continue;
    const place: Place = { first: [], second: [] };
    const queue: [Word, Reading][] = [[start, side]];
    for (let i = 0; i < queue.length; i++) {
      const [word, reading] = queue[i] as [Word, Reading];
      place[reading].push(word);
      const other: Reading = reading === 'first' ? 'second' : 'first';
      for (const candidate of left[other]) {
        if (!lieOver(word.box, candidate.box)) continue;
        left[other].delete(candidate);
        queue.push([candidate, other]);
      }
    }
    places.push(place);
  }
  return places;
}

const lieOver = (a: Box, b: Box) => overlapOf(a, b) > OVER * Math.min(areaOf(a), areaOf(b));

/** Two readings measure letters a little differently; titles are told by their size. */
function growthOf(places: readonly Place[]): number {
  const ratios = places.flatMap(({ first: [a], second: [b] }) => (a && b && b.size > 0 ? [a.size / b.size] : []));
  if (ratios.length > 0) return median(ratios);
  const shares = places.flatMap(({ second }) => second.map(({ size, box }) => heightOf(box) / Math.max(1, size)));
  return shares.length > 0 ? Math.max(1, median(shares)) : 1;
}
