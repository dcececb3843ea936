import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseOptions } from '../../../src/kit/db/index.ts';
import type { BenchmarkOptions } from '../../bench/benchmark.ts';
import { type Answer, ask, type Question } from '../serve/ask.ts';
import { createRandom } from '../support/random.ts';
import { makeObjects, settle } from '../tenants/make-objects.ts';
import { listOperations, type Operation } from '../tenants/operations.ts';
import { credentialsFor, questionOf } from '../tenants/question.ts';
import { openWorlds, type World, type Worlds } from '../tenants/worlds.ts';
import { findDamage } from '../writes/find-damage.ts';
import { openPostgresTables, readSqliteTables } from '../writes/open-tables.ts';

const SEED = 7;
const QUIET_MS = 1000;

export type Contention = {
  operations: number;
  asked: number;
  succeeded: number;
  /** 503 `changed_meanwhile`: the client sends it again. */
  sentAgain: number;
  failed: string[];
  damage: string[];
};

/** They take away what the caller itself is and may do, or the objects of all others, so they come last. */
const LAST = [
  /^users_api_admin_(users_(update|delete)_|workspaces_|api_keys_delete_)/,
  /^users_api_admin_(rate|spend)_limit/,
  /^console_(session|sessions|password|keys_delete|admin_keys_delete|sign_in_rules|limits)/,
];

/** Sends the changing operations many times at once: each on the same objects, then all of a family of paths mixed. */
export async function contend(
  directory: string,
  database: DatabaseOptions | undefined,
  { quick, progress }: BenchmarkOptions,
): Promise<Contention> {
  const { operations, resolve } = listOperations();
  const changing = operations.filter(({ route }) => route.method !== 'GET');
  const found: Contention = {
    operations: changing.length,
    asked: 0,
    succeeded: 0,
    sentAgain: 0,
    failed: [],
    damage: [],
  };
  const worlds = await openWorlds(directory, database);
  const random = createRandom(SEED);
  try {
    // Of another organization than the owner's: it has an admin key.
    const strangers = worlds.strangers.filter(({ adminKey }) => adminKey !== undefined);
    for (const world of strangers) await makeObjects(worlds, world);
    for (const world of strangers) await contendAs(world);
    await settle(worlds, strangers);
    await delay(QUIET_MS);
    found.damage = await lookForDamage(directory, database);
    return found;
  } finally {
    await worlds.close();
  }

  async function contendAs(world: World): Promise<void> {
    const isLast = ({ id }: Operation) => LAST.some((pattern) => pattern.test(id));
    const isDeleting = ({ route }: Operation) => route.method === 'DELETE';
    const harmless = changing.filter((operation) => !isLast(operation) && !isDeleting(operation));
    const copies = quick ? 4 : 24;
    for (const [at, operation] of harmless.entries()) {
      if (at % 40 === 0) progress(`contention: ${at} of ${harmless.length} operations, ${copies} of each at once`);
      await sendAtOnce(world, Array<Operation>(copies).fill(operation));
    }
    const mixed = changing.filter((operation) => !isLast(operation));
    for (const [family, members] of Map.groupBy(mixed, familyOf)) {
      progress(`contention: ${family}, all ${members.length} mixed`);
      const each = quick ? 2 : 8;
      await sendAtOnce(world, shuffle(members.flatMap((member) => Array<Operation>(each).fill(member))));
    }
    progress('contention: what takes the caller’s own rights');
    for (const operation of changing.filter(isLast)) await sendAtOnce(world, Array<Operation>(copies).fill(operation));
  }

  async function sendAtOnce(world: World, members: readonly Operation[]): Promise<void> {
    await Promise.all(
      members.map(async (operation) => {
        const headers = credentialsFor(operation, world);
        if (!headers) return;
        judge(operation, await send(worlds, questionOf(operation, resolve, world, headers)));
      }),
    );
  }

  function judge({ id }: Operation, { status, text }: Answer): void {
    found.asked++;
    if (status >= 200 && status < 300) found.succeeded++;
    if (status === 503 && text.includes('changed_meanwhile')) found.sentAgain++;
    // Other errors beyond 500 speak of a server that is not there, or of a limit.
    if (status === 500 || status === 0) found.failed.push(`${id} → ${status} ${text.slice(0, 200)}`);
  }

  function shuffle<T>(list: T[]): T[] {
    const drawn = list.map((item) => ({ item, at: random() }));
    return drawn.toSorted((a, b) => a.at - b.at).map(({ item }) => item);
  }
}

function familyOf({ route }: Operation): string {
  return route.path.split('/').slice(0, 3).join('/');
}

async function send({ server }: Worlds, question: Question): Promise<Answer> {
  try {
    return await ask(server.url, question);
  } catch (error) {
    return { status: 0, headers: {}, text: String(error) };
  }
}

async function lookForDamage(directory: string, database: DatabaseOptions | undefined): Promise<string[]> {
  const tables =
    database?.kind === 'postgres' ? openPostgresTables(database.url) : readSqliteTables(`${directory}/data`);
  try {
    return await findDamage(tables.query);
  } finally {
    await tables.close();
  }
}
