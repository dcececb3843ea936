import type { LiveWord } from './protocol.ts';
import { SAMPLE_RATE } from './transcription-engine.ts';

/** The last words of an utterance that goes on often change with the next ones. */
const DELAY_MS = { timed: 900, stable: 250 };
const DELAY_MS_MIN = 200;
/** After so much silence the last word, and the sign behind it, are as good as final. */
const QUIET_SECONDS = 0.3;

/** Where a look was: it heard everything up to `at`, and the last sound of speech at `speechEnd`, in samples. */
export type Place = { at: number; speechEnd: number; isOver: boolean };

/** Chooses which words of an utterance are told after each look. A word that was told never changes. */
export type WordTeller = {
  /** `words` are undefined where nothing new was heard. */
  fresh(words: readonly LiveWord[] | undefined, place: Place): LiveWord[];
  /** What the model can begin with at its next look. */
  known(): number[];
};

/** By the time of each word: enough sound has followed it. Each look begins with the words that were told. */
export function tellByTime(delayMs: number | undefined): WordTeller & { skipTo(seconds: number): void } {
  const heldBack = Math.max(delayMs ?? DELAY_MS.timed, DELAY_MS_MIN) / 1000;
  const known: number[] = [];
  let skipped = 0;
  let latest: readonly LiveWord[] = [];
  return {
    fresh(words, { at, isOver }) {
      latest = words ?? latest;
      const until = isOver ? Number.POSITIVE_INFINITY : at / SAMPLE_RATE - heldBack;
      const open = latest.findIndex(({ end }) => end > until);
      const told = latest.slice(0, open < 0 ? latest.length : open);
      latest = latest.slice(told.length);
      known.push(...told.flatMap(({ tokens }) => tokens));
      if (isOver) known.length = 0;
      return told.filter(({ start, end }) => (start + end) / 2 >= skipped);
    },
    known: () => [...known],
    /** What was said before was told by another. */
    skipTo(seconds) {
      skipped = seconds;
    },
  };
}

/** For a model that knows no times: the word has stayed the same for a while. Each look begins with the words that were told. */
export function tellByAgreement(delayMs: number | undefined): WordTeller {
  const stable = (Math.max(delayMs ?? DELAY_MS.stable, DELAY_MS_MIN) / 1000) * SAMPLE_RATE;
  const known: number[] = [];
  let latest: { word: LiveWord; since: number }[] = [];

  function compare(words: readonly LiveWord[], at: number): void {
    let isSame = true;
    latest = words.map((word, index) => {
      const before = latest[index];
      isSame &&= before !== undefined && plain(before.word.text) === plain(word.text);
      return { word, since: isSame && before ? before.since : at };
    });
  }

  return {
    fresh(words, { at, speechEnd, isOver }) {
      if (words) compare(words, at);
      const isQuiet = at - speechEnd >= QUIET_SECONDS * SAMPLE_RATE;
      const isTold = ({ since }: { since: number }, index: number) =>
        isOver || (at - since >= stable && (isQuiet || index < latest.length - 1));
      const open = latest.findIndex((one, index) => !isTold(one, index));
      const told = latest.splice(0, open < 0 ? latest.length : open).map(({ word }) => word);
      known.push(...told.flatMap(({ tokens }) => tokens));
      if (isOver) known.length = 0;
      return told;
    },
    known: () => [...known],
  };
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}
