import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { type BenchmarkOptions, isMet, type Result, runWithTries } from './benchmark.ts';
import { admin } from './benchmarks/admin.ts';
import { batch } from './benchmarks/batch.ts';
import { commits } from './benchmarks/commits.ts';
import { conversations } from './benchmarks/conversations.ts';
import { embeddedChat } from './benchmarks/embedded-chat.ts';
import { embeddings } from './benchmarks/embeddings.ts';
import { endurance } from './benchmarks/endurance.ts';
import { gateway } from './benchmarks/gateway.ts';
import { identity } from './benchmarks/identity.ts';
import { idleStreams } from './benchmarks/idle-streams.ts';
import { ocr } from './benchmarks/ocr.ts';
import { registry } from './benchmarks/registry.ts';
import { speech } from './benchmarks/speech.ts';
import { start } from './benchmarks/start.ts';
import { toolServer } from './benchmarks/tool-server.ts';
import { workflowMemory } from './benchmarks/workflow-memory.ts';
import { workflowReaders } from './benchmarks/workflow-readers.ts';
import { workflowReplay } from './benchmarks/workflow-replay.ts';
import { workflows } from './benchmarks/workflows.ts';
import { cleanUpAtExit } from './children.ts';
import { printTable } from './print-table.ts';

const BENCHMARKS = [
  identity,
  idleStreams,
  start,
  commits,
  gateway,
  endurance,
  embeddedChat,
  embeddings,
  speech,
  registry,
  admin,
  toolServer,
  workflows,
  workflowMemory,
  workflowReaders,
  workflowReplay,
  conversations,
  batch,
  ocr,
];
const USAGE = `node bench/run.ts [name…] [--json] [--quick] [--profile <dir>]

${BENCHMARKS.map(({ name, summary }) => `  ${name.padEnd(18)}${summary}`).join('\n')}

  --json        print one object instead of a table
  --quick       short rounds and small loads: does it work at all
  --profile     the server of "identity" or "gateway" leaves a CPU profile in this directory`;

const LOGGED_PROGRESS_MS = 10_000;
let progressAt = 0;

const { values, positionals } = readArguments();
if (values.help) {
  console.log(USAGE);
  process.exit();
}

cleanUpAtExit();
const chosen = BENCHMARKS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
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
for (const benchmark of chosen) {
  console.error(`${benchmark.name}: ${benchmark.summary}`);
  try {
    results.push(await runWithTries(benchmark, options));
  } catch (error) {
    console.error(
      `\n${benchmark.name} could not be measured: ${error instanceof Error ? error.message : String(error)}`,
    );
    process.exit(1);
  }
  options.progress('');
}

const ok = results.every(({ figures }) => figures.every(isMet));
if (values.json) {
  const machine = {
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    cores: availableParallelism(),
  };
  const benchmarks = results.map((result) => ({
    ...result,
    figures: result.figures.map((figure) => ({ ...figure, ok: isMet(figure) })),
  }));
  console.log(JSON.stringify({ ok, quick: values.quick, machine, benchmarks }, null, 2));
} else printTable(results);
process.exitCode = ok ? 0 : 1;

/** On a terminal one line that changes; in a log a line now and then. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
  else if (text !== '' && performance.now() - progressAt > LOGGED_PROGRESS_MS) {
    progressAt = performance.now();
    process.stderr.write(`${text}\n`);
  }
}

function readArguments() {
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
    const unknown = parsed.positionals.find((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name));
    if (unknown !== undefined) throw new Error(`There is no benchmark '${unknown}'.`);
    return parsed;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    process.exit(2);
  }
}
