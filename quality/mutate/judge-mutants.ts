export type TriedMutant = {
  file: string;
  line: number;
  column: number;
  /** The line as it is in the file, without its indentation. */
  code: string;
  /** `a < b → a <= b`. */
  change: string;
  /** As Stryker names it. */
  status: string;
};

/** A mutant that no test can notice, because the product does the same with it. */
export type HarmlessMutant = Pick<TriedMutant, 'file' | 'code' | 'change'> & { reason: string };

export type Judgement = {
  tried: number;
  killed: number;
  harmless: number;
  /** The killed among those that are not harmless. */
  score: number;
  survivors: TriedMutant[];
  /** Why the room does not pass; empty when it does. */
  faults: string[];
};

const SCORE_MIN = 0.8;
const HARMLESS_SHARE_MAX = 0.05;
const KILLED = ['Killed', 'Timeout'];
/** It does not run at all, so no test is asked. */
const INVALID = ['RuntimeError', 'CompileError'];

/** Mutants of a sample say nothing of a harmless one outside it, so only an entry for one that was tried can be wrong. */
export function judgeMutants(mutants: readonly TriedMutant[], harmless: readonly HarmlessMutant[]): Judgement {
  const tried = mutants.filter(({ status }) => !INVALID.includes(status));
  const isHarmless = (mutant: TriedMutant) => harmless.some((entry) => isSame(entry, mutant));
  const killed = tried.filter(({ status }) => KILLED.includes(status));
  const alive = tried.filter(({ status }) => !KILLED.includes(status));
  const survivors = alive.filter((mutant) => !isHarmless(mutant));
  const excused = alive.length - survivors.length;
  const score = tried.length === excused ? 0 : killed.length / (tried.length - excused);
  const faults = [
    ...(score < SCORE_MIN ? [`Only ${percent(score)} were noticed; ${percent(SCORE_MIN)} are needed.`] : []),
    ...(excused > tried.length * HARMLESS_SHARE_MAX
      ? [`${excused} of ${tried.length} are listed as harmless; at most ${percent(HARMLESS_SHARE_MAX)} may be.`]
      : []),
    ...killed
      .filter(isHarmless)
      .map(({ file, line, change }) => `Listed as harmless, and noticed: ${file}:${line}  ${change}`),
  ];
  return { tried: tried.length, killed: killed.length, harmless: excused, score, survivors, faults };
}

export const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

function isSame(entry: HarmlessMutant, mutant: TriedMutant): boolean {
  return entry.file === mutant.file && entry.code === mutant.code && entry.change === mutant.change;
}
