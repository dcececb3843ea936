import { existsSync } from 'node:fs';
import type { SandboxLimits } from '../sandbox.ts';

const TEMPORARY_BYTES = 16 * 1024 * 1024;
/** What programs of the system and their libraries need; each only where it is there. */
export const READABLE = [
  '/usr',
  '/lib',
  '/lib64',
  '/lib32',
  '/bin',
  '/etc/ld.so.cache',
  '/etc/alternatives',
  '/etc/fonts',
];
const ENVIRONMENT = {
  PATH: '/usr/bin:/bin',
  HOME: '/work',
  LANG: 'C.UTF-8',
  MPLCONFIGDIR: '/tmp',
  MPLBACKEND: 'Agg',
  // Each thread of these takes address space, which is what the limit of memory counts.
  OMP_NUM_THREADS: '1',
  OPENBLAS_NUM_THREADS: '1',
};

/** The command line of bubblewrap: nothing is shared, nothing is writable but two directories in memory with a size. */
export function bubblewrapArguments(options: {
  python: string;
  script: string;
  /** More directories that can be read inside. */
  paths: string[];
  limits: SandboxLimits;
}): string[] {
  const { python, script, paths, limits } = options;
  return [
    '--unshare-all',
    '--die-with-parent',
    '--clearenv',
    ...Object.entries(ENVIRONMENT).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--hostname', 'sandbox', '--uid', '65534', '--gid', '65534', '--cap-drop', 'ALL'],
    ...[...READABLE, ...paths].filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', path, path]),
    // No /proc: it would show the first process inside, which has no limits, and let the program write to its memory.
    ...['--dev', '/dev'],
    ...['--size', String(limits.fileBytes), '--tmpfs', '/work'],
    ...['--size', String(TEMPORARY_BYTES), '--tmpfs', '/tmp'],
    // What bubblewrap itself makes is memory too, and without a size.
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', '/work'],
    ...['--', python, '-I', '-B', '-X', 'utf8', '-c', script],
  ];
}
