import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type Benchmark, type BenchmarkOptions, isMet, type Result, runWithTries } from './benchmark.ts';
import { cleanUpAtExit } from './children.ts';
import { compareVersions, printComparison } from './compare-versions.ts';
import { printTable } from './print-table.ts';

const LOGGED_PROGRESS_MS = 10_000;
const ROUNDS_MIN = 4;
const COMPARE_HELP = `
  --compare     run the named parts here and in that version by turns, and tell what moved beyond the noise; exit 1 when
                a figure with a target got worse. The version is checked out into a temporary folder
  --rounds      how often each version runs, at least ${ROUNDS_MIN} (default ${ROUNDS_MIN})`;

type Command = {
  /** The command line, for the help. */
  usage: string;
  /** The noun for one part of it. */
  noun: string;
  parts: Benchmark[];
  /** The best of this many tries counts: more than one only where other processes can spoil a figure. */
  tries: number;
  /** Whether two versions can be compared with it. */
  compares?: boolean;
  /** Does something with the results besides printing them. */
  keep?: (results: Result[]) => void;
};

/** Runs the named parts, or all, one after the other, and prints one table; exit 1 when a target is missed. */
export async function runCommand({ usage, noun, parts, tries, compares = false, keep }: Command): Promise<void> {
  const help = helpOf(usage, parts, compares);
  const { values, positionals } = readArguments(noun, parts, help, compares);
  if (values.help) return console.log(help);
  cleanUpAtExit();
  const showProgress = createProgress();
  const options: BenchmarkOptions = {
    quick: values.quick,
    profileDir: values.profile,
    progress: showProgress,
    tried: (text) => {
      showProgress('');
      console.error(text);
    },
  };
  if (values.compare !== undefined) return compare(values.compare, positionals, values, options);
  const results: Result[] = [];
  for (const part of parts.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
    console.error(`${part.name}: ${part.summary}`);
    try {
      results.push(await runWithTries(part, options, values.once ? 1 : tries));
    } catch (error) {
      console.error(`\n${part.name} could not be measured: ${error instanceof Error ? error.message : String(error)}`);
      process.exit(1);
    }
    showProgress('');
  }
  if (values.json) printJson(results, values.quick);
  else printTable(results);
  if (!values.quick && values.keep) keep?.(results);
  process.exitCode = results.every(({ figures }) => figures.every(isMet)) ? 0 : 1;
}

async function compare(
  ref: string,
  names: string[],
  { rounds: asked, quick, json }: { rounds: string; quick: boolean; json: boolean },
  { progress, tried = progress }: BenchmarkOptions,
): Promise<void> {
  const rounds = Number(asked);
  if (names.length === 0) return refuse('Name what to compare: all of it would take hours.');
  if (!Number.isInteger(rounds) || rounds < ROUNDS_MIN)
    return refuse(`--rounds takes a whole number from ${ROUNDS_MIN} on.`);
  try {
    const comparison = await compareVersions({ ref, names, rounds, quick, progress, tried });
    progress('');
    if (json) console.log(JSON.stringify(comparison, null, 2));
    else printComparison(ref, comparison);
    process.exitCode = comparison.figures.some(({ verdict }) => verdict === 'worse') ? 1 : 0;
  } catch (error) {
    refuse((error as Error).message);
  }
}

function refuse(message: string): void {
  console.error(message);
  process.exitCode = 2;
}

function helpOf(usage: string, parts: Benchmark[], compares: boolean): string {
  return `${usage} [name…] [--json] [--quick] [--once] [--no-keep] [--profile <dir>]${compares ? ' [--compare <git ref> [--rounds <n>]]' : ''}

${parts.map(({ name, summary }) => `  ${name.padEnd(18)}${summary}`).join('\n')}

  --json        print one object instead of a table
  --quick       short rounds and small loads: does it work at all
  --once        do not repeat a part that misses a target
  --no-keep     leave the figures in docs/ as they are
  --profile     a server that is measured leaves a CPU profile in this directory, where the part can do that${compares ? COMPARE_HELP : ''}`;
}

function printJson(results: Result[], quick: boolean): void {
  const ok = results.every(({ figures }) => figures.every(isMet));
  const machine = {
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    cores: availableParallelism(),
  };
  const benchmarks = results.map((result) => ({
    ...result,
    figures: result.figures.map((figure) => ({ ...figure, ok: isMet(figure) })),
  }));
  console.log(JSON.stringify({ ok, quick, machine, benchmarks }, null, 2));
}

/** On a terminal one line that changes; in a log an occasional line. */
function createProgress(): (text: string) => void {
  let shownAt = 0;
  return (text) => {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
    else if (text !== '' && performance.now() - shownAt > LOGGED_PROGRESS_MS) {
      shownAt = performance.now();
      process.stderr.write(`${text}\n`);
    }
  };
}

function readArguments(noun: string, parts: Benchmark[], help: string, compares: boolean) {
  try {
    const parsed = parseArgs({
      allowPositionals: true,
      allowNegative: true,
      options: {
        json: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        profile: { type: 'string' },
        keep: { type: 'boolean', default: true },
        once: { type: 'boolean', default: false },
        compare: { type: 'string' },
        rounds: { type: 'string', default: String(ROUNDS_MIN) },
        help: { type: 'boolean', default: false },
      },
    });
    if (parsed.values.compare !== undefined && !compares) throw new Error('Only benchmarks can be compared.');
    const unknown = parsed.positionals.find((name) => !parts.some((part) => part.name === name));
    if (unknown !== undefined) throw new Error(`There is no ${noun} '${unknown}'.`);
    return parsed;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`);
    process.exit(2);
  }
}
