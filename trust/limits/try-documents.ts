import { setTimeout as delay } from 'node:timers/promises';
import { ask } from '../support/ask.ts';
import { type HostileJson, hostileJson } from './hostile-json.ts';
import { judgeRefusal } from './judge-answer.ts';
import { jsonOperations, type Operation } from './operations.ts';
import { leastCpuMs, note, send, type Trials } from './trial.ts';

const REFUSALS = [400, 422];

/** Documents that are hostile whatever the operation is about, at every operation that takes JSON. */
export async function tryDocuments(trials: Trials, quick: boolean, progress: (text: string) => void): Promise<void> {
  const { served } = trials;
  const operations = quick ? pickFew(jsonOperations()) : jsonOperations();
  const documents = hostileJson();
  for (const [index, operation] of operations.entries()) {
    progress(`limits: hostile documents, operation ${index + 1} of ${operations.length}`);
    for (const document of documents) {
      const work = () => send(served, operation, document.bytes);
      const costMs = receivingMs(document) + parsingMs(document);
      const [answered, ms] = await leastCpuMs(served, trials.cpuMsMax + costMs, work);
      note(trials, `${operation.name}, ${document.name}`, judgeRefusal(answered, REFUSALS), ms - costMs);
    }
  }
  // The operator's probe must have had its turn between any two of them.
  await delay(0);
  const { status } = await ask(`${served.url}/healthz`, {});
  note(trials, 'GET /healthz afterwards', status === 200 ? undefined : `${status}`);
}

/** One of each kind of body: the limits and the surfaces differ, the way in is the same. */
function pickFew(operations: Operation[]): Operation[] {
  const wanted = ['/v1/chat/completions', '/mcp', '/v1/admin/users-invite'];
  return operations.filter(({ route }) => wanted.includes(route.path));
}

/** What a server pays for the bytes alone, generously: system calls and copies of a megabyte take some milliseconds. */
function receivingMs({ bytes }: HostileJson): number {
  return (bytes.length / 1e6) * 6;
}

const parsed = new Map<string, number>();

function parsingMs({ name, bytes, isParsed }: HostileJson): number {
  if (!isParsed) return 0;
  const known = parsed.get(name);
  if (known !== undefined) return known;
  const text = bytes.toString();
  const before = process.threadCpuUsage();
  JSON.parse(text);
  const { user, system } = process.threadCpuUsage(before);
  parsed.set(name, (user + system) / 1000);
  return (user + system) / 1000;
}
