import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Figure, formatValue, type Result } from './benchmark.ts';
import { inTemporaryDir } from './children.ts';
import { judgeMove, type Move } from './judge-moves.ts';
import { openVersion } from './open-version.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The exit code of a run that could not begin, such as one of a benchmark that the version does not have. */
const REFUSED = 2;

export type CompareOptions = {
  ref: string;
  names: string[];
  rounds: number;
  quick: boolean;
  progress(text: string): void;
};

export type ComparedFigure = Move & { part: string; figure: Figure; verdict: 'better' | 'worse' | 'moved' | 'same' };

export type Comparison = { commit: string; figures: ComparedFigure[]; onlyBefore: string[]; onlyAfter: string[] };

/** Runs the benchmarks of two versions by turns, each version with its own, and judges the figures that both have. */
export function compareVersions({ ref, names, rounds, quick, progress }: CompareOptions): Promise<Comparison> {
  return inTemporaryDir(async (directory) => {
    const other = openVersion(ROOT, ref, join(directory, 'there'));
    try {
      const before: Result[][] = [];
      const after: Result[][] = [];
      for (let round = 0; round < rounds; round++) {
        const turns = [
          async () => before.push(await runBenchmarks(join(directory, 'there'), names, quick ? ['--quick'] : [])),
          async () => after.push(await runBenchmarks(ROOT, names, [...(quick ? ['--quick'] : []), '--no-keep'])),
        ];
        // Whatever warms up or slows down in the course of a round falls on each in turn.
        for (const turn of round % 2 === 0 ? turns : turns.reverse()) {
          progress(`round ${round + 1} of ${rounds}`);
          await turn();
        }
      }
      return { commit: other.commit, ...judge(before, after) };
    } finally {
      other.close();
    }
  });
}

export function judge(before: Result[][], after: Result[][]): Omit<Comparison, 'commit'> {
  const [was, is] = [byName(before), byName(after)];
  const figures = [...is].flatMap(([name, { part, figure, values }]) => {
    const earlier = was.get(name);
    if (!earlier) return [];
    const move = judgeMove({ before: earlier.values, after: values });
    return [{ ...move, part, figure, verdict: verdictOf(move, figure) }];
  });
  return {
    figures,
    onlyBefore: [...was.keys()].filter((name) => !is.has(name)),
    onlyAfter: [...is.keys()].filter((name) => !was.has(name)),
  };
}

function byName(runs: Result[][]) {
  const found = new Map<string, { part: string; figure: Figure; values: number[] }>();
  for (const { name: part, figures } of runs.flat())
    for (const figure of figures) {
      const name = `${part}: ${figure.name}`;
      const known = found.get(name);
      if (known) known.values.push(figure.value);
      else found.set(name, { part, figure, values: [figure.value] });
    }
  return found;
}

function verdictOf({ hasMoved, ratio }: Move, { target }: Figure): ComparedFigure['verdict'] {
  if (!hasMoved) return 'same';
  if (!target) return 'moved';
  return ratio > 1 === (target.at === '≥') ? 'better' : 'worse';
}

export function printComparison(ref: string, { commit, figures, onlyBefore, onlyAfter }: Comparison): void {
  console.log(`Against ${ref} (${commit.slice(0, 12)}):`);
  for (const { part, figure, before, after, ratio, verdict } of figures) {
    const values = `${formatValue(before)} → ${formatValue(after)} ${figure.unit}`.trim();
    const change = `${ratio >= 1 ? '+' : ''}${((ratio - 1) * 100).toFixed(1)} %`;
    console.log(`${verdict.padEnd(7)}${change.padStart(9)}  ${part}: ${figure.name}: ${values}`);
  }
  for (const name of onlyBefore) console.log(`only there        ${name}`);
  for (const name of onlyAfter) console.log(`only here         ${name}`);
}

async function runBenchmarks(root: string, names: string[], options: string[]): Promise<Result[]> {
  const args = [join(root, 'quality/bench/run.ts'), ...names, '--json', ...options];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let [text, said] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    said += chunk;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // A missed target is exit 1 too; only a run without figures has failed.
  if (code === REFUSED || text === '')
    throw new Error(`The benchmarks in ${root} did not run (${code}): ${said.trim()}`);
  return (JSON.parse(text) as { benchmarks: Result[] }).benchmarks;
}
