import type { DatabaseOptions } from '../../../src/kit/db/index.ts';
import type { BenchmarkOptions } from '../../bench/benchmark.ts';
import { ask } from '../serve/ask.ts';
import { readRows } from '../serve/read-rows.ts';
import { compareRows } from './compare-rows.ts';
import { compareTimes, type Times } from './compare-times.ts';
import { exceptionFor } from './exceptions.ts';
import { isForeign, judgePlaces } from './judge.ts';
import { judgeAgents } from './judge-agents.ts';
import { judgeKeys } from './judge-keys.ts';
import { judgeLists, judgePageTokens } from './judge-lists.ts';
import { judgeMcp } from './judge-mcp.ts';
import { makeObjects, settle } from './make-objects.ts';
import { listOperations, type Operation, type Schema } from './operations.ts';
import { describePlace, type Place, placesOf } from './places.ts';
import { credentialsFor, questionOf } from './question.ts';
import { missingLike, openWorlds, type World, type Worlds } from './worlds.ts';

const PAIRS = 200;
const SEED = 14;

export type Findings = {
  operations: number;
  places: number;
  asked: number;
  /** Fields that are named like an id and are in no list. */
  unconsidered: string[];
  turnedAwayWrongly: string[];
  wrongStatus: string[];
  told: string[];
  shown: string[];
  touched: string[];
  /** The place with the largest difference in time, if times were measured. */
  slowest: (Times & { place: string }) | undefined;
  compared: number;
};

/** Every caller requests the objects of another, at every place of every operation. */
export async function runCampaign(
  directory: string,
  database: DatabaseOptions | undefined,
  { quick, progress }: BenchmarkOptions,
): Promise<Findings> {
  const { operations, resolve } = listOperations();
  const described = operations.map((operation) => placesOf(operation, resolve));
  const places = described.flatMap((one) => one.places);
  const findings: Findings = {
    operations: operations.length,
    places: places.length,
    asked: 0,
    unconsidered: described.flatMap((one) => one.unknown),
    turnedAwayWrongly: [],
    wrongStatus: [],
    told: [],
    shown: [],
    touched: [],
    slowest: undefined,
    compared: 0,
  };
  const worlds = await openWorlds(directory, database);
  try {
    // The short form asks as another organization and as a colleague.
    const askers = quick ? worlds.strangers.slice(-1) : worlds.strangers;
    const all = [worlds.colleague, ...askers, worlds.owner];
    for (const world of all) await makeObjects(worlds, world);
    await settle(worlds, all);
    for (const asker of [...askers, worlds.colleague]) {
      progress(`tenants: ${asker.name} asks`);
      await judgeAsker(asker);
    }
    // Last: the refusals of the owner's own keys are written into the owner's audit log.
    const turned = await judgeKeys(worlds, quick ? operations.filter((_, at) => at % 4 === 0) : operations, resolve);
    findings.asked += turned.asked;
    findings.turnedAwayWrongly.push(...turned.wrong);
    if (!quick) await takeTimes(worlds, operations, places, resolve, findings, progress);
    return findings;
  } finally {
    await worlds.close();
  }

  async function judgeAsker(asker: World): Promise<void> {
    const rows = () => readRows(worlds.server.platform.database);
    const before = await rows();
    const foreign = places.filter((place) => isForeign(worlds, asker, place));
    const chosen = quick ? foreign.filter(({ where }, at) => where === 'path' || at % 3 === 0) : foreign;
    const isQuiet = (place: Place) => !exceptionFor(place)?.changes;
    const ordered = [...chosen.filter(isQuiet), ...chosen.filter((place) => !isQuiet(place))];
    const lists = await judgeLists(worlds, asker, operations, resolve);
    const mcp = await judgeMcp(worlds, asker);
    const agents = await judgeAgents(worlds, asker);
    const tokens =
      asker === worlds.colleague ? { asked: 0, told: [] } : await judgePageTokens(worlds, asker, operations, resolve);
    const named = await judgePlaces(worlds, asker, ordered, resolve);
    findings.asked += lists.asked + mcp.asked + agents.asked + tokens.asked + named.asked;
    findings.wrongStatus.push(...named.wrongStatus);
    findings.told.push(...mcp.told, ...agents.told, ...tokens.told, ...named.told);
    findings.shown.push(...lists.shown, ...named.leaked);
    findings.touched.push(...compareRows(worlds, asker, before, await rows()));
  }
}

async function takeTimes(
  worlds: Worlds,
  operations: readonly Operation[],
  places: readonly Place[],
  resolve: (schema: Schema) => Schema,
  findings: Findings,
  progress: (text: string) => void,
): Promise<void> {
  const random = seeded(SEED);
  const asker = worlds.strangers.at(-1);
  if (!asker) return;
  await warmUp(worlds, operations, resolve);
  const measured = places.filter((place) => isForeign(worlds, asker, place) && isTimed(place));
  for (const [at, place] of measured.entries()) {
    const headers = credentialsFor(place.operation, asker) ?? {};
    const id = worlds.owner.ids[place.kind] ?? '';
    const question = (named: string) => questionOf(place.operation, resolve, asker, headers, { place, id: named });
    const times = await compareTimes(worlds.server.url, [question(id), question(missingLike(id))], PAIRS, random);
    findings.compared++;
    if (times.ratio > (findings.slowest?.ratio ?? 0)) findings.slowest = { ...times, place: describePlace(place) };
    if (at % 20 === 0) progress(`tenants: times of ${at} of ${measured.length} places`);
  }
}

/** The owner reads everything that can be read, so that the owner's caches are filled. */
async function warmUp(
  { server, owner }: Worlds,
  operations: readonly Operation[],
  resolve: (schema: Schema) => Schema,
) {
  for (const operation of operations) {
    const headers = credentialsFor(operation, owner);
    if (headers && operation.route.method === 'GET')
      await ask(server.url, questionOf(operation, resolve, owner, headers));
  }
}

/** Excludes what changes something each time, and streams, which are read for a fixed time. */
function isTimed(place: Place): boolean {
  return !exceptionFor(place)?.changes && !isStream(place.operation);
}

function isStream({ route }: Operation): boolean {
  return route.method === 'GET' && route.streams !== undefined;
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
