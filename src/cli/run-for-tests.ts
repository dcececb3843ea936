import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { atEnd } from '../../test/support/cleanup.ts';
import { type TestDatabase, temporaryDir } from '../../test/support/databases.ts';
import { launcherFile } from '../../test/support/programs.ts';
import { openPlatform } from '../compose/open-platform.ts';
import { loadConfig } from '../config/config.ts';
import { type Environment, processEnvironment } from '../config/environment.ts';
import { runProgram } from './main.ts';

export const CHECKOUT = resolve(import.meta.dirname, '../..');
const POSTGRES_ROOT = '/usr/lib/postgresql';

const NO_MODELS = join(CHECKOUT, 'test/fixtures/no-models.yaml');

export type Ended = { code: number | null; stdout: string; stderr: string };

/**
 * Runs the program in a new directory, with nothing of this environment but PATH. It runs in this process, which
 * saves a second; use `runProcess` where a separate process is needed.
 */
export async function run(args: string[], environment: Environment = {}, cwd = temporaryDir()): Promise<Ended> {
  const stdout = collect();
  const stderr = collect();
  const home = process.cwd();
  process.chdir(cwd);
  try {
    const code = await runProgram(args, environmentOf(args, environment, cwd), { stdout, stderr });
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.chdir(home);
  }
}

export async function runProcess(args: string[], environment: Environment = {}, cwd = temporaryDir()): Promise<Ended> {
  return ended(launch(args, environment, cwd));
}

function collect() {
  let text = '';
  const sink = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  return Object.assign(sink, { text: () => text });
}

function environmentOf(args: string[], environment: Environment, cwd: string): Environment {
  return { PATH: pathWithPostgres(), ...withoutDefaultModels(args, environment, cwd), ...environment };
}

/** The same in a separate process, with text on stdin. */
export async function runWithInput(args: string[], environment: Environment, input: string): Promise<Ended> {
  const child = launch(args, environment, temporaryDir(), 'pipe');
  child.stdin?.end(input);
  return ended(child);
}

/** The same with --json. */
export async function runJson(args: string[], environment: Environment = {}) {
  const { code, stdout } = await run([...args, '--json'], environment);
  return { code, data: JSON.parse(stdout) };
}

function launch(
  args: string[],
  environment: Environment,
  cwd: string,
  stdin: 'ignore' | 'pipe' = 'ignore',
): ChildProcess {
  return spawn(process.execPath, ['--enable-source-maps', launcherFile(), ...args], {
    cwd,
    env: environmentOf(args, environment, cwd),
    stdio: [stdin, 'pipe', 'pipe'],
  });
}

/** Turns off downloads, and the default models unless there is a configuration file. */
function withoutDefaultModels(args: string[], environment: Environment, cwd: string): Environment {
  const given = args[args.indexOf('--data-dir') + 1];
  const dataDir = (args.includes('--data-dir') ? given : environment.TRAMONTANE_DATA_DIR) ?? '.tramontane';
  const hasFile = existsSync(join(dirname(resolve(cwd, dataDir)), 'tramontane.yaml')) || args.includes('--config');
  return {
    TRAMONTANE_AUTO_PULL: 'off',
    TRAMONTANE_CONSOLE: 'off',
    ...(hasFile ? {} : { TRAMONTANE_CONFIG: NO_MODELS }),
  };
}

async function ended(child: ChildProcess): Promise<Ended> {
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (chunk) => {
      output[name] += chunk;
    });
  }
  const [code] = await once(child, 'close');
  return { code, ...output };
}

export type StartedCli = {
  url: string;
  pid: number;
  /** Stdout until the server was ready. */
  card: string;
  send(signal: NodeJS.Signals): void;
  end: Promise<Ended>;
  stop(): Promise<Ended>;
  stderrHas(text: string): Promise<void>;
};

const READY = /"url":"([^"]+)".*\n|Address +(\S+)[\s\S]*Ctrl-C.*\n/;

/** Runs `tramontane start` and waits until it is ready. */
export async function startCli(args: string[], environment: Environment = {}): Promise<StartedCli> {
  const child = launch(['start', ...args], { TRAMONTANE_PORT: '0', ...environment }, temporaryDir());
  atEnd(() => child.kill('SIGKILL'));
  const end = ended(child);
  const stderr = watch(child, 'stderr');
  const ready = await watch(child, 'stdout')(READY);
  return {
    url: ready[1] ?? ready[2] ?? '',
    pid: child.pid ?? 0,
    card: ready.input ?? '',
    send: (signal) => void child.kill(signal),
    end,
    stop() {
      child.kill('SIGTERM');
      return end;
    },
    stderrHas: async (text) => void (await stderr(new RegExp(text))),
  };
}

export type StartedProgram = {
  /** Resolves once stdout or stderr matches. */
  has(name: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpMatchArray>;
  stop(signal?: NodeJS.Signals): Promise<Ended>;
};

/** Runs a command that ends only on a signal. */
export function startProgram(args: string[], environment: Environment = {}): StartedProgram {
  const child = launch(args, environment, temporaryDir());
  atEnd(() => child.kill('SIGKILL'));
  const end = ended(child);
  const watched = { stdout: watch(child, 'stdout'), stderr: watch(child, 'stderr') };
  return {
    has: (name, pattern) => watched[name](pattern),
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return end;
    },
  };
}

/** Resolves once the output so far matches. */
function watch(child: ChildProcess, name: 'stdout' | 'stderr') {
  let text = '';
  child[name]?.on('data', (chunk) => {
    text += chunk;
  });
  return (pattern: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      const check = () => {
        const match = text.match(pattern);
        if (match) resolve(match);
      };
      check();
      child[name]?.on('data', check);
      child.once('close', () => reject(new Error(`the program exited before it printed ${pattern}: ${text}`)));
    });
}

/** Sets up a platform as a first start does, without a server, and returns its environment. */
export async function preparePlatform(database?: TestDatabase): Promise<{ environment: Environment; key: string }> {
  const environment: Environment = { TRAMONTANE_DATA_DIR: join(temporaryDir(), 'data') };
  if (database?.options.kind === 'postgres') {
    environment.TRAMONTANE_DATABASE_URL = database.options.url;
    await (await database.open()).close();
  }
  if (database?.options.kind === 'sqlite') environment.TRAMONTANE_DATA_DIR = dirname(database.options.file);
  const config = loadConfig(environment);
  const platform = await openPlatform(config);
  const bootstrap = await platform.tenants.bootstrap(config.bootstrap);
  await platform.close();
  return { environment, key: bootstrap.created ? bootstrap.apiKey : '' };
}

/** Whether a program is installed, for tests that need it. */
export function findProgram(name: string): boolean {
  return pathWithPostgres()
    .split(':')
    .some((dir) => existsSync(join(dir, name)));
}

// Debian has one directory of programs per version; the newest belongs to the server.
function pathWithPostgres(): string {
  const versions = existsSync(POSTGRES_ROOT) ? readdirSync(POSTGRES_ROOT).sort((a, b) => Number(b) - Number(a)) : [];
  return [...versions.map((version) => join(POSTGRES_ROOT, version, 'bin')), processEnvironment().PATH].join(':');
}
