import { cleanUp } from '../../../test/support/cleanup.ts';
import { findPrograms, startPostgres } from '../../../test/support/postgres.ts';
import type { Benchmark, BenchmarkOptions, Figure } from '../../bench/benchmark.ts';
import { inTemporaryDir } from '../../bench/children.ts';
import { repeats } from '../support/share.ts';
import { runUpgrades } from '../upgrade/campaign.ts';
import { type Ground, onPostgres, onSqlite } from '../upgrade/ground.ts';
import { readReleases } from '../upgrade/releases.ts';

const DEATHS = repeats(60);
const DEATHS_QUICK = 2;

export const upgrade: Benchmark = {
  name: 'upgrade',
  summary: 'the data of every released program opens in this one; an older program refuses; a killed upgrade goes on',
  async run(options) {
    const figures = await upgradeOn(onSqlite, options);
    if (options.quick) return figures;
    const bin = findPrograms();
    if (!bin) throw new Error("This part starts a PostgreSQL: install Debian's package postgresql.");
    const postgres = await startPostgres(bin);
    try {
      return [...figures, ...(await upgradeOn(onPostgres(postgres.url), options))];
    } finally {
      await postgres.stop();
    }
  },
};

function upgradeOn(ground: Ground, { quick, progress }: BenchmarkOptions): Promise<Figure[]> {
  return inTemporaryDir(async (directory) => {
    try {
      const releases = readReleases();
      const ends = [releases[0], releases.at(-1)];
      const deaths = quick ? DEATHS_QUICK : DEATHS;
      const { faults, ...outcome } = await runUpgrades(ground, directory, {
        releases,
        isRead: (release) => !quick || ends.includes(release),
        refusing: 'every command',
        deaths,
        progress: (text) => progress(`upgrade: ${text}`),
      });
      const { kind } = ground;
      return [
        count(`${kind}: released schemas upgraded`, releases.length),
        count(`${kind}: objects read through the API`, outcome.read),
        zero(`${kind}: objects that read otherwise`, faults.unread),
        zero(`${kind}: differences from a fresh schema`, faults.unlike),
        zero(`${kind}: commands that an older program did not refuse`, faults.notRefused),
        zero(`${kind}: commands that changed a newer database`, faults.changed),
        count(`${kind}: upgrades killed`, outcome.killed),
        zero(`${kind}: faults after a killed upgrade`, faults.broken),
      ];
    } finally {
      await cleanUp();
    }
  });
}

function count(name: string, value: number): Figure {
  return { name, value, unit: '' };
}

function zero(name: string, found: string[]): Figure {
  return { name, value: found.length, unit: '', target: { at: '≤', value: 0 }, note: found.join('\n    ') };
}
