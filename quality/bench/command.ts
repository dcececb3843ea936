import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type Benchmark, type BenchmarkOptions, isMet, type Result, runWithTries } from './benchmark.ts';
import { cleanUpAtExit } from './children.ts';
import { printTable } from './print-table.ts';

const LOGGED_PROGRESS_MS = 10_000;

type Command = {
  /** The command line, for the help. */
  usage: string;
  /** The noun for one part of it. */
  noun: string;
  parts: Benchmark[];
  /** The best of this many tries counts: more than one only where other processes can spoil a figure. */
  tries: number;
  /** Does something with the results besides printing them. */
  keep?: (results: Result[]) => void;
};

/** Runs the named parts, or all, one after the other, and prints one table; exit 1 when a target is missed. */
export async function runCommand({ usage, noun, parts, tries, keep }: Command): Promise<void> {
  const help = helpOf(usage, parts);
  const { values, positionals } = readArguments(noun, parts, help);
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
  const results: Result[] = [];
  for (const part of parts.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
    console.error(`${part.name}: ${part.summary}`);
    try {
      results.push(await runWithTries(part, options, tries));
    } catch (error) {
      console.error(`\n${part.name} could not be measured: ${error instanceof Error ? error.message : String(error)}`);
      process.exit(1);
    }
    showProgress('');
  }
  if (values.json) printJson(results, values.quick);
  else printTable(results);
  if (!values.quick) keep?.(results);
  process.exitCode = results.every(({ figures }) => figures.every(isMet)) ? 0 : 1;
}

function helpOf(usage: string, parts: Benchmark[]): string {
  return `${usage} [name…] [--json] [--quick] [--profile <dir>]

${parts.map(({ name, summary }) => `  ${name.padEnd(18)}${summary}`).join('\n')}

  --json        print one object instead of a table
  --quick       short rounds and small loads: does it work at all
  --profile     a server that is measured leaves a CPU profile in this directory, where the part can do that`;
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

function readArguments(noun: string, parts: Benchmark[], help: string) {
  try {
    const parsed = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        profile: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    const unknown = parsed.positionals.find((name) => !parts.some((part) => part.name === name));
    if (unknown !== undefined) throw new Error(`There is no ${noun} '${unknown}'.`);
    return parsed;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`);
    process.exit(2);
  }
}
