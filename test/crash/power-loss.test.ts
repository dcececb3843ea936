import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../support/rounds.ts';
import type { CommitOptions } from './fixtures/commit-rows.ts';
import { buildPowerLossShim, materialise, type PowerLossDisk, powerLossEnv } from './power-loss.ts';

// Each kind of fault at least once.
const ROUNDS = rounds(4, 12);
const shim = buildPowerLossShim();
if (shim === undefined) console.warn('Skipped: simulating power loss needs Linux and a C compiler (cc)');

let temporary = '';
beforeAll(() => {
  temporary = mkdtempSync(join(tmpdir(), 'crash-'));
});
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const writeFiles = fileURLToPath(new URL('./fixtures/write-files.ts', import.meta.url));
const commitRows = fileURLToPath(new URL('./fixtures/commit-rows.ts', import.meta.url));

let disks = 0;
function createDisk(files: Record<string, string> = {}): { dir: string; shadow: string; found: string } {
  const base = join(temporary, String(++disks));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(base, 'dir', name)), { recursive: true });
    writeFileSync(join(base, 'dir', name), content);
  }
  return { dir: join(base, 'dir'), shadow: join(base, 'shadow'), found: join(base, 'found') };
}

/** Runs a process until it is killed, and returns its output. Without `killAfterMs` it has to kill itself. */
async function runUntilKilled(script: string, args: string[], env: Record<string, string>, killAfterMs?: number) {
  const child = spawn(process.execPath, [script, ...args], { env: { ...process.env, ...env } });
  let said = '';
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk;
  });
  child.stdout.on('data', (chunk: Buffer) => {
    // The clock starts with the first output, so that a slow start does not shorten the round.
    if (said === '' && killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    said += chunk;
  });
  const signal = await new Promise((resolve) => child.once('close', (_code, name) => resolve(name)));
  expect({ signal, complaint }).toEqual({ signal: 'SIGKILL', complaint: '' });
  return said;
}

/** Runs scenarios of write-files.ts, each in a separate process; returns a reader of what remains after the loss. */
async function lose(scenarios: string | string[], files?: Record<string, string>) {
  const disk = createDisk(files);
  const env = powerLossEnv(disk);
  for (const scenario of [scenarios].flat()) await runUntilKilled(writeFiles, [scenario, disk.dir], env);
  materialise(disk.shadow, disk.found);
  return (name: string) => {
    const path = join(disk.found, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
}

async function commitUntilKilled(disk: PowerLossDisk, options: Omit<CommitOptions, 'path'>, killAfterMs?: number) {
  const settings = JSON.stringify({ ...options, path: join(disk.dir, 'data.db') });
  const said = await runUntilKilled(commitRows, [settings], powerLossEnv(disk), killAfterMs);
  // The last line may be cut off by the kill.
  return said.split('\n').slice(0, -1).map(Number);
}

function inspect(found: string) {
  const db = new Database(join(found, 'data.db'));
  try {
    return {
      integrity: db.pragma('integrity_check', { simple: true }),
      ids: new Set(db.prepare<[], number>('SELECT id FROM rows').pluck().all()),
      damaged: db.prepare('SELECT count(*) FROM rows WHERE length(body) <> id * 37 % 700').pluck().get(),
    };
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    return { integrity: error.message, ids: new Set<number>(), damaged: 0 };
  } finally {
    db.close();
  }
}

/** The header of the WAL counts how often SQLite restarted it. */
function walGeneration(dir: string): number {
  const path = join(dir, 'data.db-wal');
  return existsSync(path) && readFileSync(path).length >= 32 ? readFileSync(path).readUInt32BE(12) : 0;
}

describe.skipIf(shim === undefined)('power loss', () => {
  describe('files', () => {
    it('keeps synced content and drops what came after', async () => {
      const found = await lose('content', { 'seeded-truncated': 'old' });
      expect(found('unsynced') ?? '').toBe('');
      expect(found('synced')).toBe('kept');
      expect(found('growing')).toBe('before ');
      expect(found('changed')).toBe('aaaa');
      expect(found('cut')).toBe('0123\0\0x');
      expect(found('seeded-truncated')).toBe('old');
    });

    it('follows asynchronous writes and a sync through another descriptor', async () => {
      const found = await lose('asynchronous');
      expect(found('handle')).toBe('one two');
      expect(found('copy')).toBe('one two three');
      expect(found('unsynced-copy') ?? '').toBe('');
    });

    it('lets a second process sync what the first one wrote', async () => {
      const found = await lose(['leaveUnsynced', 'syncLeftover']);
      expect(found('left')).toBe('BY the first process');
      expect(found('ignored') ?? '').toBe('');
    });

    it('brings back removed and overwritten files whose directory was not synced', async () => {
      const found = await lose('names', { seeded: 'old', removed: 'still here', reused: 'mine' });
      expect(found('seeded')).toBe('old');
      expect(found('removed')).toBe('still here');
      expect(found('reused')).toBe('mine');
      expect(found('other')).toBe('other');
    });

    it('keeps the names of a synced directory', async () => {
      const found = await lose('namesSynced', { removed: 'x', 'folder/inside': 'inside', log: 'old lines' });
      expect(found('empty')).toBe('');
      expect(found('removed')).toBeUndefined();
      expect(found('deep/er/file')).toBe('deep');
      expect(found('moved/inside')).toBe('inside');
      expect(found('folder/inside')).toBeUndefined();
      expect(found('log.1')).toBe('old lines');
      expect(found('log')).toBe('fresh');
    });

    it('keeps a file that was moved out of a synced directory into an unsynced one', async () => {
      const found = await lose('acrossFolders', { 'a/file': 'kept', 'b/other': '' });
      expect([found('a/file'), found('b/file')]).toContain('kept');
    });
  });

  describe('rename', () => {
    it('keeps a file that was synced, renamed and whose directory was synced', async () => {
      const found = await lose('replaceSafely', { config: 'old' });
      expect(found('config')).toBe('new content');
      expect(found('config.tmp')).toBeUndefined();
    });

    it('without the sync of the directory leaves the old file and never half of the new one', async () => {
      expect((await lose('replaceWithoutDirectorySync', { config: 'old' }))('config')).toBe('old');
      expect((await lose('replaceWithoutDirectorySync'))('config')).toBeUndefined();
    });

    it('without the sync of the file leaves an empty one', async () => {
      expect((await lose('replaceWithoutFileSync', { config: 'old' }))('config')).toBe('');
    });
  });

  describe('SQLite', () => {
    it.each([
      ['are never synced', { sync: 'none', rowsMax: 20 }, 0],
      ['are synced but not awaited', { sync: 'not-awaited', rowsMax: 20 }, 60],
      ['joined a sync that was already running', { sync: 'joined-late', rowsMax: 1 }, 60],
    ] as const)('loses acknowledged commits that %s', async (_mistake, options, syncMs) => {
      const disk = createDisk();
      const acknowledged = await commitUntilKilled({ ...disk, syncMs }, options);
      materialise(disk.shadow, disk.found);
      const { ids, integrity } = inspect(disk.found);
      expect(integrity).toBe('ok');
      expect(acknowledged.filter((id) => !ids.has(id))).toContain(acknowledged.at(-1));
    });

    it('loses acknowledged commits that were moved by an unsynced checkpoint', async () => {
      const disk = createDisk();
      const options = { sync: 'before-ack', checkpoints: 'unsynced', rowsMax: 1000 } as const;
      const acknowledged = await commitUntilKilled(disk, options);
      materialise(disk.shadow, disk.found);
      const { ids } = inspect(disk.found);
      expect(acknowledged.filter((id) => !ids.has(id))).not.toEqual([]);
    });

    it('keeps every acknowledged commit if the WAL is synced first, whatever the checkpoints do', async () => {
      const disk = createDisk();
      const acknowledged: number[] = [];
      let walRestarts = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const before = walGeneration(disk.dir);
        const weather = [{}, { leak: 0.5 }, { syncMs: 2 }, { syncMs: 1, leak: 0.9 }][round % 4];
        const options = { sync: 'before-ack', checkpoints: 'synced' } as const;
        acknowledged.push(...(await commitUntilKilled({ ...disk, ...weather }, options, Math.random() * 350)));
        walRestarts += Math.max(0, walGeneration(disk.dir) - before);

        materialise(disk.shadow, disk.found);
        const { ids, integrity, damaged } = inspect(disk.found);
        expect({ integrity, damaged }).toEqual({ integrity: 'ok', damaged: 0 });
        expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
        // The next round starts on what the power loss left, before its recovery.
        materialise(disk.shadow, disk.dir);
      }
      expect(acknowledged.length).toBeGreaterThan(ROUNDS * 40);
      expect(walRestarts).toBeGreaterThan(ROUNDS * 4);
    }, 60_000);
  });
});
