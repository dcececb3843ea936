import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_JSON_LIMITS } from '../../../src/kit/http/json-body.ts';
import { scanJson } from '../../../src/kit/http/scan-json.ts';
import { type Answered, ask } from '../support/ask.ts';
import { type HostileJson, hostileJson } from './hostile-json.ts';
import { judgeRefusal } from './judge-answer.ts';
import { jsonOperations, type Operation } from './operations.ts';
import { leastCpuMs, note, send, type Trials } from './trial.ts';

const REFUSALS = [400, 422];
const SMALL_BYTES = 1000;

/** Documents that are hostile for every operation, sent to every operation that takes JSON. */
export async function tryDocuments(trials: Trials, quick: boolean, progress: (text: string) => void): Promise<void> {
  const { served } = trials;
  const operations = quick ? pickFew(jsonOperations()) : jsonOperations();
  const documents = hostileJson();
  for (const [index, operation] of operations.entries()) {
    progress(`limits: hostile documents, operation ${index + 1} of ${operations.length}`);
    for (const document of documents) {
      const work = () => send(served, operation, document.bytes);
      const costMs = receivingMs(document) + parsingMs(document, operation);
      const [answered, ms] = await leastCpuMs(served, trials.cpuMsMax + costMs, work);
      note(trials, `${operation.name}, ${document.name}`, judge(document, operation, answered), ms - costMs);
    }
  }
  // The operator's probe must be answered between any two of them.
  await delay(0);
  const { status } = await ask(`${served.url}/healthz`, {});
  note(trials, 'GET /healthz afterwards', status === 200 ? undefined : `${status}`);
}

/** One of each kind of body: limits and surfaces differ, parsing is the same. */
function pickFew(operations: Operation[]): Operation[] {
  const wanted = ['/v1/chat/completions', '/mcp', '/v1/admin/users-invite'];
  return operations.filter(({ route }) => wanted.includes(route.path));
}

/** Some operations take lists, or no body at all; some accept less than others. */
function judge(document: HostileJson, { route, bytesMax }: Operation, answered: Answered): string | undefined {
  if (document.bytes.length > bytesMax) return judgeRefusal(answered, [413]);
  const isGood = document.bytes.length < SMALL_BYTES && route.body?.safeParse(build(document).value).success;
  return isGood && answered.status < 500 ? undefined : judgeRefusal(answered, REFUSALS);
}

/** A generous allowance for the bytes alone: system calls and copies of a megabyte take some milliseconds. */
function receivingMs({ bytes }: HostileJson): number {
  return (bytes.length / 1e6) * 6;
}

/** A document within the limits of the operation has to be parsed before it can be refused. */
function parsingMs(document: HostileJson, { route, bytesMax }: Operation): number {
  const { bytes } = document;
  if (bytes.length > bytesMax || 'limit' in scanJson(bytes, route.jsonLimits ?? DEFAULT_JSON_LIMITS)) return 0;
  return build(document).ms;
}

const built = new Map<string, { ms: number; value: unknown }>();

function build({ name, bytes }: HostileJson): { ms: number; value: unknown } {
  const known = built.get(name);
  if (known) return known;
  const text = bytes.toString();
  // All threads, as for the server: a large value keeps the collector busy as well.
  const before = process.cpuUsage();
  const value = parse(text);
  const { user, system } = process.cpuUsage(before);
  const made = { ms: (user + system) / 1000, value: bytes.length < SMALL_BYTES ? value : undefined };
  built.set(name, made);
  return made;
}

/** No schema accepts a symbol, so it stands for invalid JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return Symbol('no JSON');
  }
}
