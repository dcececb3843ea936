import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Benchmark, Figure } from '../../bench/benchmark.ts';
import { licensedPackages, renderLicences } from '../licences.ts';
import { readLock } from '../read-lock.ts';

const root = new URL('../../../', import.meta.url);
const SIGNATURES_MS = 120_000;

export const supplyChain: Benchmark = {
  name: 'supply-chain',
  summary:
    'what npm installs: pinned by digest, without install scripts, under licences we can ship, with a bill of materials',
  run: async ({ quick, progress }) => {
    progress('supply-chain: lockfile and licences');
    const packages = readLock().filter(({ isOurs }) => !isOurs);
    const loose = packages.filter(({ integrity }) => !integrity?.startsWith('sha512-'));
    const { refused } = licensedPackages();
    const listed = readFileSync(new URL('docs/licences.md', root), 'utf8') === renderLicences();
    const scripts = /^ignore-scripts=true$/m.test(readFileSync(new URL('.npmrc', root), 'utf8'));
    const figures = [
      zero('packages without a sha512 digest', loose.length, names(loose)),
      zero('packages under a licence nobody has considered', refused.length, names(refused)),
      zero(
        'pages of licences that are out of date',
        listed ? 0 : 1,
        'node quality/campaigns/write-licences.ts writes it anew',
      ),
      zero('install scripts that npm runs', scripts ? 0 : 1, '.npmrc turns them off'),
      componentsWithoutBill(packages.length),
    ];
    // It calls the registry, which a test must not.
    return quick ? figures : [...figures, badSignatures()];
  },
};

function zero(name: string, value: number, note: string): Figure {
  return { name, value, unit: '', target: { at: '≤', value: 0 }, note };
}

function componentsWithoutBill(locked: number): Figure {
  const { stdout, stderr, status } = spawnSync('npm', ['run', '-s', 'sbom'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`npm run sbom failed: ${stderr.slice(-500)}`);
  const { components } = JSON.parse(stdout) as { components: { version?: string; purl?: string }[] };
  const bare = components.filter(({ version, purl }) => !version || !purl);
  return zero(
    'components of the bill without version or address',
    bare.length,
    `${components.length} of ${locked} locked`,
  );
}

function badSignatures(): Figure {
  const name = 'packages whose signature is wrong';
  const { stdout, stderr, status } = spawnSync('npm', ['audit', 'signatures', '--json'], {
    cwd: root,
    encoding: 'utf8',
    timeout: SIGNATURES_MS,
  });
  try {
    const { invalid = [] } = JSON.parse(stdout) as { invalid?: unknown[] };
    return { name, value: invalid.length, unit: '', target: { at: '≤', value: 0 } };
  } catch {
    // A mirror often has no signing keys; then there is nothing to check against.
    return {
      name,
      value: Number.NaN,
      unit: '',
      note: `not reachable (${status}): ${stderr.trim().split('\n').at(-1)}`,
    };
  }
}

function names(list: { name: string }[]): string {
  return list.map(({ name }) => name).join(', ') || 'none';
}
