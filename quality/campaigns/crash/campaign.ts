import { setTimeout as delay } from 'node:timers/promises';
import { loadConfig } from '../../../src/config/config.ts';
import type { StartChild } from '../../bench/children.ts';
import { createAsk } from '../platform/ask.ts';
import { serveModel } from '../platform/serve-model.ts';
import { API_KEY, environmentOf, type Place, preparePlace, startPlatform } from '../platform/start-platform.ts';
import { findDamage } from '../writes/find-damage.ts';
import { openPostgresTables, openSqliteTables, readSqliteTables, type Tables } from '../writes/open-tables.ts';
import { configAt, prepareGround } from '../writes/prepare-ground.ts';
import { type Comparison, compare } from './compare.ts';
import { newTold, runWriters } from './run-writers.ts';
import { settle } from './settle.ts';

const work = new URL('../platform/work.ts', import.meta.url);
const WRITERS = 50;
/** From ready to killed, at random. */
const LIFE_MS = { shortest: 50, longest: 1500 };
/** How often the tables are checked between the kills: a check takes longer the more rows there are. */
const LOOKS = 10;

export type CrashResult = Comparison & {
  writes: number;
  repeats: number;
  damage: string[];
  refusals: string[];
  unsettled: string[];
  readyMs: number[];
};

type Options = {
  start: StartChild;
  dir: string;
  kills: number;
  /** PostgreSQL, or SQLite when there is none. */
  databaseUrl?: string | undefined;
  /** Where stored files are, if not in the data dir. */
  store?: Record<string, string> | undefined;
  progress: (text: string) => void;
};

/** Kills the server repeatedly under writers of every kind, then checks what is left. */
export async function crashAgainAndAgain(options: Options): Promise<CrashResult> {
  const { start, dir, kills, databaseUrl, store, progress } = options;
  const model = await serveModel();
  const env = { ...store, ...(databaseUrl === undefined ? {} : { TRAMONTANE_DATABASE_URL: databaseUrl }) };
  const place = await preparePlace(dir, configAt(model.url), env);
  const open = () => openTables(place, databaseUrl);
  const { ask, close } = createAsk(place.port, API_KEY);
  const stopping = new AbortController();
  const told = newTold();
  const readyMs: number[] = [];
  const damage: string[] = [];
  try {
    let { child } = await startPlatform(start, place);
    const ground = await prepareGround(ask);
    const worker = start(work, { role: 'free', args: [`http://127.0.0.1:${place.port}`, API_KEY] });
    await worker.ask('ready');
    const writing = runWriters({ ask, ground, count: WRITERS, told, signal: stopping.signal });
    for (let kill = 1; kill <= kills; kill++) {
      await delay(LIFE_MS.shortest + Math.random() * (LIFE_MS.longest - LIFE_MS.shortest));
      await child.end('SIGKILL');
      if (kill % Math.ceil(kills / LOOKS) === 0) damage.push(...(await look(open)));
      const started = await startPlatform(start, place);
      child = started.child;
      readyMs.push(started.readyMs);
      progress(`${kill} of ${kills} kills, ${sizeOf(told.done)} writes, ready in ${Math.round(started.readyMs)} ms`);
    }
    stopping.abort();
    await writing;
    const living = databaseUrl === undefined ? readSqliteTables(place.dataDir) : open();
    const unsettled = await settle(living.query);
    await living.close();
    if (worker.hasEnded()) damage.push(`the worker ended: ${worker.log()}`);
    await child.end('SIGKILL');
    damage.push(...(await look(open)));
    const tables = open();
    const compared = await compare(tables.query, told, loadConfig(environmentOf(place)));
    await tables.close();
    const { repeats, refusals } = told;
    return { ...compared, writes: sizeOf(told.done), repeats, damage, refusals, unsettled, readyMs };
  } finally {
    stopping.abort();
    close();
    model.close();
  }
}

function openTables({ dataDir }: Place, databaseUrl: string | undefined): Tables {
  return databaseUrl === undefined ? openSqliteTables(dataDir) : openPostgresTables(databaseUrl);
}

async function look(open: () => Tables): Promise<string[]> {
  const tables = open();
  try {
    return [...tables.damage(), ...(await findDamage(tables.query))];
  } finally {
    await tables.close();
  }
}

function sizeOf(sets: Record<string, Set<string>>): number {
  return Object.values(sets).reduce((sum, { size }) => sum + size, 0);
}
