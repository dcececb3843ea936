import { spawn, spawnSync } from 'node:child_process';
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
  /** Told what is known after each round. */
  tried(text: string): void;
};

export type ComparedFigure = Move & { part: string; figure: Figure; verdict: 'better' | 'worse' | 'moved' | 'same' };

export type Comparison = { commit: string; figures: ComparedFigure[]; onlyBefore: string[]; onlyAfter: string[] };

/** Runs the benchmarks of two versions by turns, each version with its own, and judges the figures that both have. */
export function compareVersions({ ref, names, rounds, quick, progress, tried }: CompareOptions): Promise<Comparison> {
  return inTemporaryDir(async (directory) => {
    const there = join(directory, 'there');
    const other = openVersion(ROOT, ref, there);
    try {
      // The best of several tries is no measure of noise, and takes longer; both versions measure in the same way.
      const options = [...(quick ? ['--quick'] : []), ...(knowsOnce(there) ? ['--once'] : [])];
      const before: Result[][] = [];
      const after: Result[][] = [];
      for (let round = 1; round <= rounds; round++) {
        const run = (root: string, name: string, more: string[]) =>
          runBenchmarks(root, [...names, '--json', ...options, ...more], (line) =>
            progress(`round ${round} of ${rounds}, ${name}: ${line}`),
          );
        const turns = [
          async () => before.push(await run(there, ref, [])),
          async () => after.push(await run(ROOT, 'here', ['--no-keep'])),
        ];
        // Whatever warms up or slows down in the course of a round falls on each in turn.
        for (const turn of round % 2 === 1 ? turns : turns.reverse()) await turn();
        tried(`After round ${round} of ${rounds}: ${judge(before, after).figures.map(sayMove).join('; ')}`);
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
    console.log(`${verdict.padEnd(7)}${changeOf(ratio).padStart(9)}  ${part}: ${figure.name}: ${values}`);
  }
  for (const name of onlyBefore) console.log(`only there        ${name}`);
  for (const name of onlyAfter) console.log(`only here         ${name}`);
}

const changeOf = (ratio: number) => `${ratio >= 1 ? '+' : ''}${((ratio - 1) * 100).toFixed(1)} %`;
const sayMove = ({ figure, ratio }: ComparedFigure) => `${figure.name} ${changeOf(ratio)}`;

const programOf = (root: string) => join(root, 'quality/bench/run.ts');

/** Earlier versions repeat what misses its target, without a way to say otherwise. */
function knowsOnce(root: string): boolean {
  return spawnSync(process.execPath, [programOf(root), '--once', '--help'], { cwd: root }).status === 0;
}

async function runBenchmarks(root: string, args: string[], heard: (line: string) => void): Promise<Result[]> {
  const child = spawn(process.execPath, [programOf(root), ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let [text, said] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
    const line = chunk.trimEnd().split('\n').at(-1);
    if (line) heard(line);
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
