import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrations } from '../../../migrations/index.ts';
import { run } from '../../../src/cli/run-for-tests.ts';
import { openPlatform } from '../../../src/compose/open-platform.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { scriptFile } from '../../../test/support/programs.ts';
import { type Copy, differences, type Ground } from './ground.ts';
import { openNewest, openReleased } from './open-newest.ts';
import type { Release } from './releases.ts';

const DIE_IN_MIGRATION = fileURLToPath(new URL('./die-in-migration.ts', import.meta.url));
const NEEDED = '99.0.0';
const FAILED = 1;

export type Faults = { unread: string[]; unlike: string[]; notRefused: string[]; changed: string[]; broken: string[] };

export type Outcome = { faults: Faults; read: number; killed: number };

type Options = {
  releases: Release[];
  /** Which of them are also read through the API, and not only upgraded. */
  isRead: (release: Release) => boolean;
  /** What must refuse a database that needs a newer program. */
  refusing: 'every command' | 'none';
  deaths: number;
  progress: (text: string) => void;
};

export async function runUpgrades(ground: Ground, directory: string, options: Options): Promise<Outcome> {
  const { releases, isRead, progress } = options;
  const faults: Faults = { unread: [], unlike: [], notRefused: [], changed: [], broken: [] };
  const config = join(directory, 'upgrade.yaml');
  // The model that the released programs had; it is never called here.
  const small = { id: 'small', engine: 'upstream', url: 'http://127.0.0.1:9/v1' };
  writeFileSync(config, JSON.stringify({ models: [small] }));
  const made = await ground.copy(directory);
  await openNewest(made, [], config);
  const fresh = await made.shape();
  let read = 0;

  for (const release of releases) {
    const kept = ground.keptOf(release);
    progress(`${ground.kind}: release ${release.name}, ${kept.migrations.length} of ${migrations.length} migrations`);
    const copy = await ground.copy(directory, kept);
    const unread = isRead(release) ? openReleased(copy, kept, config) : upgradeOnly(copy);
    faults.unread.push(...(await unread.catch(asWords)).map((words) => `${release.name}: ${words}`));
    faults.unlike.push(...differences(fresh, await copy.shape()).map((words) => `${release.name}: ${words}`));
    if (isRead(release)) read += kept.reads.length;
  }

  if (options.refusing === 'every command') {
    progress(`${ground.kind}: a database that needs a newer program`);
    await refuse(ground, directory, releases, faults);
  }
  const killed = await die(ground, directory, options, async (copy, release, at) => {
    const kept = ground.keptOf(release);
    const wrong = await openReleased(copy, kept, config).catch(asWords);
    const shape = differences(fresh, await copy.shape());
    faults.broken.push(...[...wrong, ...shape].map((words) => `${release.name}, killed at ${at}: ${words}`));
  });
  return { faults, read, killed };
}

const asWords = (error: unknown) => [String(error)];

async function upgradeOnly({ environment }: Copy): Promise<string[]> {
  await (await openPlatform(loadConfig(environment))).close();
  return [];
}

/** No command may touch data of a newer program. */
async function refuse(ground: Ground, directory: string, releases: Release[], faults: Faults): Promise<void> {
  const newest = releases.at(-1);
  if (!newest) return;
  for (const command of [['start'], ['doctor'], ['keys', 'list'], ['backup', join(directory, 'backup')]]) {
    const copy = await ground.copy(directory, ground.keptOf(newest));
    await copy.execute(`insert into migrations values ('9999-later', '2099-01-01', '${NEEDED}')`);
    const before = copy.content();
    const { code, stdout, stderr } = await run(command, { TRAMONTANE_PORT: '0', ...copy.environment });
    const isTold = `${stdout}${stderr}`.includes(`needs tramontane ${NEEDED} or newer`);
    if (code !== FAILED || !isTold) faults.notRefused.push(`${command[0]}: ${code} ${stdout}${stderr}`.slice(0, 300));
    if (copy.content() !== before) faults.changed.push(`${ground.kind}: ${command[0]}`);
  }
}

type Check = (copy: Copy, release: Release, at: number) => Promise<void>;

/** Kills processes during the upgrade of the oldest data, from its first statement to after its last. */
async function die(ground: Ground, directory: string, options: Options, check: Check): Promise<number> {
  const [oldest] = options.releases;
  if (!oldest || options.deaths === 0) return 0;
  const whole = await ground.copy(directory, ground.keptOf(oldest));
  const statements = Number((await upgradeIn(whole.environment, 0)).stdout);
  let killed = 0;
  for (let n = 0; n < options.deaths; n++) {
    const at = 1 + Math.round((n * statements) / Math.max(options.deaths - 1, 1));
    options.progress(`${ground.kind}: killed at statement ${at} of ${statements}`);
    const copy = await ground.copy(directory, ground.keptOf(oldest));
    const { signal } = await upgradeIn(copy.environment, at);
    if (signal !== 'SIGKILL') throw new Error(`The upgrade was not killed at statement ${at}.`);
    killed++;
    await check(copy, oldest, at);
  }
  return killed;
}

async function upgradeIn(environment: Record<string, string>, deadly: number) {
  const env = { PATH: process.env.PATH, ...environment };
  const child = spawn(process.execPath, [scriptFile(DIE_IN_MIGRATION), String(deadly)], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, stdout };
}
