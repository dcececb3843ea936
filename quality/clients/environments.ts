import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Client, programsDir } from './read-clients.ts';
import { runProgram } from './run-program.ts';

const UV = 'uv==0.13.7';
/** Some packages pin the certificate bundle of the day of their release, which a mirror may not have yet. */
const ANY_CERTIFI = 'certifi>=2026.1';
const INSTALL_MS = 15 * 60_000;
/** The oldest that the newest versions of all clients take. */
const PYTHONS = ['python3.13', 'python3.12', 'python3.14', 'python3'];

/** How to start a client's program in its environment. */
export type Environment = { command: string; args: string[]; path: string };

/** Environments outlive a run, outside the checkout; a changed pin makes a new one. */
export const environmentsDir = process.env.TRAMONTANE_CLIENTS_DIR ?? join(tmpdir(), 'tramontane-clients');

/** Installs what a client needs, once; throws what the installer printed. */
export async function openEnvironment(client: Client): Promise<Environment> {
  const hash = createHash('sha256').update(client.packages.join()).digest('hex').slice(0, 12);
  const dir = join(environmentsDir, `${client.name}-${hash}`);
  if (!existsSync(join(dir, 'installed'))) {
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir, { recursive: true });
    await installers[client.installer](client, dir);
    writeFileSync(join(dir, 'installed'), '');
  }
  return starters[client.installer](client, dir);
}

/** Why a client cannot run on this machine; undefined if it can. */
export function whyNot({ installer }: Client): string | undefined {
  if (installer === 'pip' && !findPython()) return 'no Python from 3.12 on (TRAMONTANE_CLIENTS_PYTHON names one)';
  if (installer === 'maven' && (!works('mvn', '-v') || !works('javac', '-version'))) return 'no JDK with Maven';
  return undefined;
}

const installers = {
  async pip({ packages }: Client, dir: string) {
    const uv = await openUv();
    await install(uv, ['venv', '-q', '-p', findPython() ?? '', join(dir, 'venv')]);
    const list = join(dir, 'overrides.txt');
    writeFileSync(list, ANY_CERTIFI);
    await install(uv, ['pip', 'install', '-q', '-p', join(dir, 'venv'), '--override', list, ...packages]);
  },
  async npm({ packages, needsScripts }: Client, dir: string) {
    writeFileSync(join(dir, 'package.json'), '{"private":true,"type":"module"}');
    const flags = ['--silent', '--no-audit', '--no-fund', '--cache', join(environmentsDir, 'npm')];
    // Said either way, because a machine may have a default of its own.
    flags.push(`--ignore-scripts=${!needsScripts}`);
    await install('npm', ['install', '--prefix', dir, ...flags, ...packages]);
  },
  async maven({ packages }: Client, dir: string) {
    writeFileSync(join(dir, 'pom.xml'), pomOf(packages));
    const flags = ['-q', '-B', `-Dmaven.repo.local=${join(environmentsDir, 'maven')}`, '-f', join(dir, 'pom.xml')];
    await install('mvn', [...flags, 'dependency:copy-dependencies', `-DoutputDirectory=${join(dir, 'lib')}`]);
  },
};

/** A copy in the environment: packages are found from where it lies, and its name hides none of them. */
function copyProgram({ file }: Client, dir: string): string {
  const copy = join(dir, `program.${file.split('.').at(-1)}`);
  cpSync(join(programsDir, file), copy);
  return copy;
}

/** The class of the snippet, and the one with the other checks. */
const COMPILE_AND_RUN = 'javac -cp "$1" -d "$2" "$3"; for name in Program More; do java -cp "$1:$2" $name; done';

const starters = {
  pip(client: Client, dir: string): Environment {
    const path = join(dir, 'venv/bin');
    const program = copyProgram(client, dir);
    return client.file.endsWith('.sh')
      ? { command: 'sh', args: ['-e', program], path }
      : { command: join(path, 'python'), args: [program], path };
  },
  npm(client: Client, dir: string): Environment {
    const path = join(dir, 'node_modules/.bin');
    const program = copyProgram(client, dir);
    return client.file.endsWith('.sh')
      ? { command: 'sh', args: ['-e', program], path }
      : { command: process.execPath, args: [program], path };
  },
  maven(client: Client, dir: string): Environment {
    const [packages, classes] = [join(dir, 'lib/*'), join(dir, 'classes')];
    return {
      command: 'sh',
      args: ['-ec', COMPILE_AND_RUN, 'sh', packages, classes, copyProgram(client, dir)],
      path: '',
    };
  },
};

/** Much quicker than pip, and it can replace a version that a package pins. */
async function openUv(): Promise<string> {
  const dir = join(environmentsDir, 'uv');
  const uv = join(dir, 'bin/uv');
  if (!existsSync(uv)) {
    const fresh = `${dir}-${process.pid}`;
    await install(findPython() ?? '', ['-m', 'venv', fresh]);
    await install(join(fresh, 'bin/pip'), ['install', '-q', UV]);
    rmSync(dir, { recursive: true, force: true });
    renameSync(fresh, dir);
  }
  return uv;
}

async function install(command: string, args: string[]): Promise<void> {
  const env = { ...process.env, UV_CACHE_DIR: join(environmentsDir, 'uv-cache') };
  const { code, output } = await runProgram(command, args, { env, timeoutMs: INSTALL_MS });
  if (code !== 0)
    throw new Error(`${command} ${args.slice(0, 2).join(' ')} ended with ${code}:\n${output.slice(-2000)}`);
}

function findPython(): string | undefined {
  return [process.env.TRAMONTANE_CLIENTS_PYTHON, ...PYTHONS].find(
    (python) => python && works(python, '-c', 'import sys; sys.exit(sys.version_info < (3, 12))'),
  );
}

function works(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function pomOf(packages: readonly string[]): string {
  const dependencies = packages.map((name) => {
    const [group, artifact, version] = name.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;
  });
  return `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>client</groupId><artifactId>client</artifactId><version>1</version><dependencies>${dependencies.join('')}</dependencies></project>`;
}

export function pathWith({ path }: Environment): string {
  return [path, process.env.PATH].filter(Boolean).join(delimiter);
}
