import type { DatabaseOptions } from '../../../src/kit/db/index.ts';
import type { BenchmarkOptions } from '../../bench/benchmark.ts';
import { type Answer, ask, type Question } from '../serve/ask.ts';
import { makeObjects, settle } from '../tenants/make-objects.ts';
import { listOperations, type Operation, type Schema } from '../tenants/operations.ts';
import { credentialsFor, questionOf } from '../tenants/question.ts';
import { listPaths } from '../tenants/sample.ts';
import { openWorlds, type World } from '../tenants/worlds.ts';

export type TriedValues = { operations: number; asked: number; accepted: number; failed: string[] };

/** Small enough for every field, and read otherwise by somebody: databases, indexes of words, patterns, clocks. */
const VALUES: Record<string, string | number> = {
  'a NUL': 'abc\0def',
  'half a pair': 'abc\ud800def',
  'signs of patterns and queries': `ab"c' %_\\*(){}[]^~:-`,
  'letters that change their length': 'ﬃİßŉ',
  'a number of more than 32 bits': 2 ** 31,
  'the largest whole number': Number.MAX_SAFE_INTEGER,
  'the least whole number': Number.MIN_SAFE_INTEGER,
  'a number beyond 64 bits': 1e300,
  'a fraction': 0.5,
  'the last day that JavaScript knows': '+275760-09-13T00:00:00Z',
  'a day before our era': '-000044-03-15T00:00:00Z',
};
/** The short form tries one in so many operations. */
const SHARE = 12;

/** They take away what the caller itself is and may do. */
const LAST =
  /^(users_api_admin_(users_|workspaces_|api_keys_|rate|spend)|console_(session|password|keys_|admin_keys_|sign_in_rules|limits))/;

/** Sends each value in every parameter and field of every operation, first of those that store, then of those that read what was stored. */
export async function tryValues(
  directory: string,
  database: DatabaseOptions | undefined,
  { quick, progress }: BenchmarkOptions,
): Promise<TriedValues> {
  const { operations, resolve } = listOperations();
  const rank = ({ id, route }: Operation) => (route.method === 'GET' ? 1 : 0) + (LAST.test(id) ? 2 : 0);
  const chosen = operations
    .filter(({ route }, at) => !route.socket && (!quick || at % SHARE === 0))
    .toSorted((a, b) => rank(a) - rank(b));
  const found: TriedValues = { operations: chosen.length, asked: 0, accepted: 0, failed: [] };
  const worlds = await openWorlds(directory, database);
  try {
    // Of another organization than the owner's: it has an admin key.
    const world = worlds.strangers.find(({ adminKey }) => adminKey !== undefined);
    if (!world) throw new Error('No stranger has an admin key.');
    await makeObjects(worlds, world);
    for (const [at, operation] of chosen.entries()) {
      if (at % 20 === 0) progress(`values: ${at} of ${chosen.length} operations, ${found.asked} requests`);
      await tryOperation(operation, world);
    }
    await settle(worlds, [world]);
    return found;
  } finally {
    await worlds.close();
  }

  async function tryOperation(operation: Operation, world: World): Promise<void> {
    const headers = credentialsFor(operation, world);
    if (!headers) return;
    for (const place of placesIn(operation, resolve))
      for (const [name, value] of Object.entries(VALUES)) {
        // An address has only text, and only whole characters.
        const id = place.where === 'body' ? value : String(value).toWellFormed();
        const named = { place: { operation, kind: 'file' as const, ...place }, id };
        const question = questionOf(operation, resolve, world, headers, named);
        const { status, text } = await send(question);
        found.asked++;
        if (status >= 200 && status < 300) found.accepted++;
        // Others beyond 500 speak of a server that is not there, or of a limit.
        if (status === 500 || status === 0)
          found.failed.push(
            `${operation.id}, ${name} in ${place.where} ${place.way.join('.')} → ${status} ${text.slice(0, 200)}`,
          );
      }
  }

  async function send(question: Question): Promise<Answer> {
    try {
      return await ask(worlds.server.url, question);
    } catch (error) {
      return { status: 0, headers: {}, text: String(error) };
    }
  }
}

type ValuePlace = { where: 'path' | 'query' | 'body'; way: readonly string[] };

/** A deletion is tried at its path alone: with the right one it would delete what others ask for. */
function placesIn(operation: Operation, resolve: (schema: Schema) => Schema): ValuePlace[] {
  const { parameters, route, body } = operation;
  const inAddress = parameters.flatMap(({ name, in: where }): ValuePlace[] =>
    where === 'path' || (where === 'query' && route.method !== 'DELETE') ? [{ where, way: [name] }] : [],
  );
  const inBody = body && route.method !== 'DELETE' ? listPaths(body, resolve) : [];
  return [...inAddress, ...inBody.map((way): ValuePlace => ({ where: 'body', way }))];
}
