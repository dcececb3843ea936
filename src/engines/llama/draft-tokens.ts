import type { Guide } from './guide/create-guide.ts';

/** What an answer will probably go on with. All of it is evaluated in one step, and only what the model chooses is kept. */
export type Drafter = {
  /** What a grammar has settled goes first: it is nearly always right. */
  propose(tokens: readonly number[], guide: Foreseeing | undefined, limits: DraftLimits): number[];
  /** How many of the last proposal were right. */
  learn(accepted: number): void;
};

type DraftLimits = { tokensMax: number; mayLookBack: boolean };
type Foreseeing = Pick<Guide, 'foresee' | 'cutToFit'>;

/** A text that is settled may still be cut into other tokens than expected; what comes after that is as settled as before. */
const SETTLED_MAX = 10;
const REPEATED_FIRST = 3;
const REPEATED_MAX = 10;
/** A second token in a step costs more than half of a step, each further one a quarter: one alone must be right too often to pay. */
const REPEATED_MIN = 2;
const PAUSE_MAX = 64;
/** Tokens that must be the same before a place is taken for the one that comes again; fewer where a grammar helps. */
const PATTERN = 3;
const GUIDED_PATTERN = 2;

/**
 * Answers repeat what stands before them: names and values of the question, keys of an object, their own sentences. No
 * clock takes part, so an idle model evaluates the same request in the same steps each time.
 */
export function createDrafter(): Drafter {
  const lookups = new Map<number, Lookup>();
  let length = REPEATED_FIRST;
  let pause = 0;
  let mistakes = 0;
  /** How many tokens were looked up for the last proposal. */
  let looked = 0;

  function lookUp(tokens: readonly number[], guide: Foreseeing | undefined): number[] {
    const pattern = guide ? GUIDED_PATTERN : PATTERN;
    const lookup = lookups.get(pattern) ?? createLookup(pattern);
    lookups.set(pattern, lookup);
    const found = lookup(tokens, length);
    const fitting = guide ? guide.cutToFit(found) : found;
    return fitting.length < REPEATED_MIN ? [] : fitting;
  }

  return {
    propose(tokens, guide, { tokensMax, mayLookBack }) {
      looked = 0;
      if (tokensMax <= 0) return [];
      const settled = guide?.foresee() ?? [];
      if (settled.length > 0) return settled.slice(0, Math.min(SETTLED_MAX, tokensMax));
      if (!mayLookBack || (pause > 0 && --pause > 0)) return [];
      const draft = lookUp(tokens, guide).slice(0, tokensMax);
      looked = draft.length;
      return draft;
    },
    learn(accepted) {
      if (looked === 0) return;
      length =
        accepted < looked ? Math.max(REPEATED_MIN, accepted) : Math.min(REPEATED_MAX, Math.max(length, 2 * looked));
      mistakes = accepted === 0 ? mistakes + 1 : 0;
      if (mistakes > 0) pause = Math.min(PAUSE_MAX, 4 ** mistakes);
    },
  };
}

type Lookup = (tokens: readonly number[], max: number) => number[];

/** Finds what followed the last time the newest tokens came one after the other. */
function createLookup(pattern: number): Lookup {
  const places = new Map<number, number>();
  let indexed = pattern;
  return (tokens, max) => {
    // The place of the newest tokens themselves is noted with the next call.
    for (; indexed < tokens.length; indexed++) places.set(keyAt(tokens, indexed, pattern), indexed);
    const place = places.get(keyAt(tokens, tokens.length, pattern));
    return place === undefined || !isSame(tokens, place, pattern) ? [] : tokens.slice(place, place + max);
  };
}

function keyAt(tokens: readonly number[], end: number, pattern: number): number {
  let key = 0;
  for (let at = end - pattern; at < end; at++) key = (key * 8191 + (tokens[at] ?? 0)) % 2 ** 40;
  return key;
}

function isSame(tokens: readonly number[], place: number, pattern: number): boolean {
  for (let back = 1; back <= pattern; back++) if (tokens[place - back] !== tokens[tokens.length - back]) return false;
  return true;
}
