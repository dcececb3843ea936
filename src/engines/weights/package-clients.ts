import { PROGRAM_VARIABLES, pickEnvironment } from '../process/environment.ts';
import type { PackagePart } from './catalogue.ts';
import { readTgzEntry } from './read-tgz.ts';
import { readZipEntry } from './read-zip.ts';
import { type ProgramEnvironment, type ProgramResult, runProgram } from './run-program.ts';

/** Where the clients and their configuration, mirrors and credentials are. */
const CLIENT_VARIABLES = [
  ...PROGRAM_VARIABLES,
  ...['PIP_*', 'VIRTUAL_ENV', 'CONDA_PREFIX', 'PYENV_*'],
  ...['NPM_CONFIG_*', 'NPM_TOKEN', 'NODE_AUTH_TOKEN', 'NVM_DIR', 'VOLTA_HOME', 'NO_UPDATE_NOTIFIER'],
];

/**
 * The ordinary client of a package registry, which knows its registry, mirror, proxy and credentials. It works in the
 * current directory: no path is ever an argument.
 */
export type PackageClient = {
  kind: 'pip' | 'npm';
  /** The commands under which it may be found, in order. */
  programs: readonly (readonly [string, ...string[]])[];
  download(part: PackagePart): string[];
  /** Asks the registry about a package, without a download. */
  ask(name: string): string[];
  /** Kept out of the user's cache and of /tmp, so that the size of the directory shows how far it is. */
  environment(dir: string): ProgramEnvironment;
  /** How much room a download takes while it runs, in multiples of the package. */
  roomFactor: number;
  packageSuffix: string;
  read(file: string, path: string, signal: AbortSignal): AsyncGenerator<Buffer>;
};

export const pip: PackageClient = {
  kind: 'pip',
  programs: [['pip'], ['pip3'], ['python3', '-m', 'pip'], ['python', '-m', 'pip']],
  // Only wheels: to look at a source package, pip would run its build.
  download: ({ name, version }) => [
    ...['download', '--no-deps', '--only-binary=:all:', '--no-cache-dir', '--no-input', '--progress-bar', 'off'],
    ...['--disable-pip-version-check', '-d', '.', `${name}==${version}`],
  ],
  ask: (name) => ['index', 'versions', '--disable-pip-version-check', '--no-input', name],
  environment: (dir) => ({ TMPDIR: dir, TEMP: dir, TMP: dir }),
  roomFactor: 1,
  packageSuffix: '.whl',
  read: readZipEntry,
};

export const npm: PackageClient = {
  kind: 'npm',
  programs: [['npm']],
  download: ({ name, version }) => ['pack', '--ignore-scripts', '--cache', 'cache', `${name}@${version}`],
  ask: (name) => ['view', name, 'version'],
  environment: (dir) => ({ TMPDIR: dir, TEMP: dir, TMP: dir, NO_UPDATE_NOTIFIER: '1' }),
  roomFactor: 2,
  packageSuffix: '.tgz',
  read: readTgzEntry,
};

/** Runs the client by the first name under which the machine has it. */
export async function runClient(
  client: PackageClient,
  args: string[],
  options: { cwd: string; environment: ProgramEnvironment; signal: AbortSignal },
): Promise<ProgramResult> {
  const environment = pickEnvironment(CLIENT_VARIABLES, options.environment);
  for (const program of client.programs) {
    const result = await runProgram([...program, ...args], { ...options, environment });
    const isAbsent = result.kind === 'missing' || /No module named pip|pip: command not found/.test(result.output);
    if (!isAbsent) return result;
  }
  return { kind: 'missing' };
}

/** The line of the output that holds the error, without the credentials of a mirror's address. */
export function explainOutput(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const telling = lines.find((line) => /^(ERROR:|npm (error|ERR!) (?!code|A complete log))/.test(line));
  const line = (telling ?? lines.at(-1) ?? 'it said nothing').replace(/^(ERROR:|npm (error|ERR!))\s*/, '');
  return line.replace(/\/\/[^/@\s]+@/g, '//').slice(0, 300);
}
