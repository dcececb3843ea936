import { join } from 'node:path';
import type { Benchmark, Figure } from '../benchmark.ts';
import { type Child, inTemporaryDir, withChildren } from '../children.ts';
import type { Commits } from '../processes/write-commits.ts';
import { median } from '../statistics.ts';

const WRITE_COMMITS = new URL('../processes/write-commits.ts', import.meta.url);
const WRITERS = [1, 20, 200];

type Pair = { ours: Commits; plain: Commits };

export const commits: Benchmark = {
  name: 'commits',
  summary: 'durable transactions through kit/db against better-sqlite3 with synchronous=FULL',
  run: ({ quick, progress }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const rounds = quick ? 2 : 5;
        const durationMs = quick ? 300 : 1500;
        const writerOf = (kind: 'kit' | 'plain') =>
          start(WRITE_COMMITS, { role: 'free', args: [kind, join(directory, `${kind}.db`)] });
        const [ours, plain] = [writerOf('kit'), writerOf('plain')];
        const write = (child: Child, writers: number) => child.ask<Commits>('write', { writers, durationMs });
        const figures: Figure[] = [];
        for (const writers of WRITERS) {
          const pairs: Pair[] = [];
          for (let i = 0; i < rounds; i++) {
            progress(`commits: ${writers} writers, round ${i + 1} of ${rounds}`);
            pairs.push({ ours: await write(ours, writers), plain: await write(plain, writers) });
          }
          figures.push(figureOf(writers, pairs));
        }
        return figures;
      }),
    ),
};

function figureOf(writers: number, pairs: Pair[]): Figure {
  const of = (pick: (pair: Pair) => number) => median(pairs.map(pick));
  const longest = (pick: (pair: Pair) => number) => Math.max(...pairs.map(pick)).toFixed(0);
  return {
    name: `transactions/s, ${writers} writer${writers === 1 ? '' : 's'}, vs synchronous=FULL`,
    value: of(({ ours, plain }) => ours.perSecond / plain.perSecond),
    unit: '×',
    note: `${of(({ ours }) => ours.perSecond).toFixed(0)} vs ${of(({ plain }) => plain.perSecond).toFixed(0)} per second; longest stall of the event loop ${longest(({ ours }) => ours.stallMs)} vs ${longest(({ plain }) => plain.stallMs)} ms`,
  };
}
