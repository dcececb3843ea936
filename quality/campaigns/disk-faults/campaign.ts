import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { blobsDir } from '../../../src/compose/open-blobs.ts';
import type { StartChild } from '../../bench/children.ts';
import { createAsk } from '../platform/ask.ts';
import { serveModel } from '../platform/serve-model.ts';
import { API_KEY, environmentOf, preparePlace, startPlatform } from '../platform/start-platform.ts';
import { findDamage } from '../writes/find-damage.ts';
import { countMarks } from '../writes/find-marks.ts';
import { openSqliteTables, readSqliteTables } from '../writes/open-tables.ts';
import { configAt, prepareGround } from '../writes/prepare-ground.ts';
import { endureFault, type Stored } from './endure-fault.ts';
import { failOneCall } from './fail-one-call.ts';
import { createDisk, type FaultName, faults } from './inject-faults.ts';
import { runCommand } from './run-command.ts';
import { newTally, type Tally } from './tally.ts';

const USAGE_MS = 20_000;
const LEFT_OVER_MS = 20_000;
const LOOK_MS = 200;
const work = new URL('../platform/work.ts', import.meta.url);

type Options = {
  start: StartChild;
  /** The faulty disk: holds the server's data and its log. */
  dir: string;
  /** Outside of that disk. */
  control: string;
  rounds: number;
  /** The maximum position of the one failing call within the writes of a round. */
  calls: number;
  withCommands: boolean;
  /** Where stored files are, if not on that disk. */
  store?: Record<string, string> | undefined;
  progress: (text: string) => void;
};

export type DiskResult = { tally: Tally; done: number; refused: number; calls: number };

/** Runs one server through every disk fault. */
export async function sufferFaults(options: Options): Promise<DiskResult> {
  const { start, dir, control, rounds, calls, withCommands, store, progress } = options;
  const disk = createDisk(dir, control);
  const model = await serveModel();
  const place = await preparePlace(join(dir, 'place'), configAt(model.url), { ...disk.env, ...store });
  const { ask, close } = createAsk(place.port, API_KEY);
  const tally = newTally();
  const stored: Stored = { done: [], refused: [], chats: [] };
  try {
    const { child } = await startPlatform(start, place);
    const ground = await prepareGround(ask);
    const worker = start(work, { role: 'free', args: [`http://127.0.0.1:${place.port}`, API_KEY] });
    await worker.ask('ready');
    const endured = { ask, ground, disk, stored, tally };
    for (let round = 1; round <= rounds; round++) {
      for (const fault of Object.keys(faults) as FaultName[]) {
        progress(`round ${round}: the disk is ${fault}`);
        await endureFault(fault, endured);
      }
    }
    let reached = 0;
    for (let k = 1; k <= calls; k++) {
      progress(`call ${k} of ${calls} fails`);
      if (await failOneCall(k, endured)) reached++;
    }
    if (withCommands) await runCommands();
    if (child.hasEnded()) tally.ended.push(child.log());
    tally.lost.push(...(await findUnpaid()));
    tally.leftOver.push(...(await findLeftOver(join(blobsDir(place.dataDir, 'files'), 'tmp'))));
    await child.end('SIGKILL');
    await inspect();
    return { tally, done: stored.done.length, refused: stored.refused.length, calls: reached };
  } finally {
    close();
    model.close();
  }

  /** What the operator's commands print on a full disk, and which files they leave there. */
  async function runCommands(): Promise<void> {
    progress('commands on a full disk');
    const env = environmentOf(place);
    const target = join(dir, 'backup');
    disk.fail('full');
    const backup = await runCommand(['backup', target], env);
    const doctor = await runCommand(['doctor'], env);
    disk.mend();
    if (backup.code !== 1 || !/disk.*full/.test(backup.text)) tally.silent.push(`backup: ${backup.text}`);
    tally.leftOver.push(...[target, `${target}.partial`].filter((path) => existsSync(path)));
    if (doctor.code !== 1 || !doctor.text.includes('is full')) tally.silent.push(`doctor: ${doctor.text}`);
    const later = await runCommand(['backup', target], env);
    if (later.code !== 0) tally.notBack.push(`backup: ${later.text}`);
  }

  /** Waits for usage, which is written a second later; what never appears was lost with the disk. */
  async function findUnpaid(): Promise<string[]> {
    const endsAt = performance.now() + USAGE_MS;
    const tables = readSqliteTables(place.dataDir);
    for (;;) {
      const rows = await tables.query<{ request_id: string }>('select request_id from usage_records');
      const written = new Set(rows.map(({ request_id }) => request_id));
      const unpaid = stored.chats.filter((id) => !written.has(id));
      if (unpaid.length === 0 || performance.now() > endsAt) {
        await tables.close();
        return unpaid.map((id) => `the usage of chat ${id}`);
      }
      await delay(LOOK_MS);
    }
  }

  async function inspect(): Promise<void> {
    const tables = openSqliteTables(place.dataDir);
    tally.half.push(...tables.damage(), ...(await findDamage(tables.query)));
    const found = await countMarks(tables.query);
    for (const { kind, mark } of stored.done) {
      const count = found[kind].get(mark) ?? 0;
      if (count !== 1) tally.lost.push(`${mark} is there ${count} times`);
    }
    for (const { kind, mark } of stored.refused)
      if ((found[kind].get(mark) ?? 0) > 1) tally.half.push(`${mark} was refused and is there twice`);
    await tables.close();
  }
}

/** A file that is being written right now is not left over; jobs of the last round may still write theirs. */
async function findLeftOver(temporaryDir: string): Promise<string[]> {
  const endsAt = performance.now() + LEFT_OVER_MS;
  for (;;) {
    const names = existsSync(temporaryDir) ? readdirSync(temporaryDir) : [];
    if (names.length === 0 || performance.now() > endsAt) return names;
    await delay(LOOK_MS);
  }
}
