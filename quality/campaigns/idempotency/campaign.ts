import { randomUUID } from 'node:crypto';
import { type Answer, call } from '../../../test/support/call.ts';
import type { Ask, Operation, Prepared } from './operations.ts';
import type { Caller, Servers } from './servers.ts';

/** What went wrong, by promise. */
export type Faults = Record<
  'notOne' | 'unequal' | 'reused' | 'refusedSpent' | 'strangerTold' | 'afterKill' | 'afterStop' | 'inFlight',
  string[]
>;

type Options = { operations: Operation[]; parallel: number; killRounds: number; progress: (text: string) => void };

type Claimed = { operation: Operation; sample: Prepared; key: string; first: Answer };

export async function runCampaign(servers: Servers, options: Options): Promise<Faults> {
  const { operations, parallel, killRounds, progress } = options;
  const faults: Faults = {
    notOne: [],
    unequal: [],
    reused: [],
    refusedSpent: [],
    strangerTold: [],
    afterKill: [],
    afterStop: [],
    inFlight: [],
  };
  const claimed: Claimed[] = [];
  for (const operation of operations) {
    progress(operation.name);
    const entry = await claimOnce(servers, operation, parallel, faults);
    claimed.push(entry);
    await lookAround(servers, entry, faults);
  }
  for (const [signal, list] of [
    ['SIGKILL', faults.afterKill],
    ['SIGTERM', faults.afterStop],
  ] as const) {
    progress(`again after ${signal}`);
    await servers.restart(signal);
    for (const entry of claimed) await sendAgain(servers, entry, list);
  }
  for (let round = 0; round < killRounds; round++) {
    const operation = operations[round % operations.length];
    if (!operation) break;
    progress(`killed in flight, ${round + 1} of ${killRounds}: ${operation.name}`);
    await killInFlight(servers, operation, parallel, round, faults.inFlight);
  }
  return faults;
}

/** Many requests at once: one object, and the same response for all. */
async function claimOnce(servers: Servers, operation: Operation, parallel: number, faults: Faults): Promise<Claimed> {
  const { name } = operation;
  const ask = askerOf(servers, operation, servers.caller);
  const sample = await operation.prepare(ask, markOf(), servers.caller);
  const key = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: parallel }, (_, n) => send(askerOf(servers, operation, servers.caller, n), sample, key)),
  );
  const kinds = new Set(answers.map((answer) => `${answer.status} ${comparable(answer, sample)}`));
  const first = answers[0] as Answer;
  if (kinds.size > 1 || first.status >= 300) faults.unequal.push(`${name}: ${[...kinds].join(' / ').slice(0, 600)}`);
  const made = await countOf(ask, sample);
  if (made !== 1) faults.notOne.push(`${name}: ${made}`);
  return { operation, sample, key, first };
}

/** The key with another body, after a refusal, and from another organization. */
async function lookAround(servers: Servers, { operation, sample, key, first }: Claimed, faults: Faults): Promise<void> {
  const { name } = operation;
  const ask = askerOf(servers, operation, servers.caller, 1);
  const next = await operation.prepare(ask, markOf(), servers.caller);
  const other = await send(ask, { ...sample, body: next.body }, key);
  if (other.status !== 422 || !other.text.includes('idempotency_key_reused'))
    faults.reused.push(`${name}: ${other.status} ${other.text.slice(0, 200)}`);

  const second = randomUUID();
  const refused = await send(ask, { ...next, body: next.refused }, second);
  const valid = await send(ask, next, second);
  if (refused.status < 400 || refused.status >= 500 || valid.status !== first.status)
    faults.refusedSpent.push(`${name}: ${refused.status} ${refused.text.slice(0, 200)}, then ${valid.status}`);

  const stranger = askerOf(servers, operation, servers.stranger);
  const theirs = await operation.prepare(stranger, markOf(), servers.stranger);
  const told = await send(stranger, theirs, key);
  const isNew = told.status === first.status && !told.headers.has('idempotency-replayed');
  if (!isNew || (await countOf(stranger, theirs)) !== 1)
    faults.strangerTold.push(`${name}: ${told.status} ${told.text.slice(0, 200)}`);
}

async function sendAgain(servers: Servers, { operation, sample, key, first }: Claimed, list: string[]): Promise<void> {
  const ask = askerOf(servers, operation, servers.caller, 2);
  const again = await send(ask, sample, key);
  const isSame = again.status === first.status && comparable(again, sample) === comparable(first, sample);
  const made = await countOf(ask, sample);
  if (!isSame || made !== 1) list.push(`${operation.name}: ${made} made, ${again.status} ${again.text.slice(0, 200)}`);
}

/**
 * Kills the processes while the requests run. A repeat gets the response, or a 409 that it was lost; in both cases the
 * object exists once.
 */
async function killInFlight(
  servers: Servers,
  operation: Operation,
  parallel: number,
  round: number,
  list: string[],
): Promise<void> {
  const ask = askerOf(servers, operation, servers.caller);
  const sample = await operation.prepare(ask, markOf(), servers.caller);
  const key = randomUUID();
  const sent = Array.from({ length: parallel }, (_, n) =>
    send(askerOf(servers, operation, servers.caller, n), sample, key).catch(() => undefined),
  );
  // The first response comes about when the claim is made; odd rounds do not wait for it.
  if (round % 2 === 0) await Promise.race(sent);
  else await new Promise(setImmediate);
  await servers.kill();
  const heard = (await Promise.all(sent)).find((answer) => answer !== undefined && answer.status < 300);
  await servers.start();
  const retry = askerOf(servers, operation, servers.caller);
  const again = await send(retry, sample, key);
  const made = await countOf(retry, sample);
  const isSame = !heard || comparable(again, sample) === comparable(heard, sample);
  const isRight = again.status < 300 ? isSame : again.status === 409 && !heard;
  if (made !== 1 || !isRight)
    list.push(
      `${operation.name}: ${made} made, ${heard ? 'answered, ' : ''}${again.status} ${again.text.slice(0, 200)}`,
    );
}

function askerOf(servers: Servers, { isAdmin }: Operation, caller: Caller, n = 0): Ask {
  const address = { url: servers.url(n), key: isAdmin ? caller.adminKey : caller.key };
  return Object.assign(
    (path: string, options: Parameters<typeof call>[2] = {}) => call(address, path, options),
    address,
  );
}

function send(ask: Ask, { path, body }: Prepared, key: string): Promise<Answer> {
  const headers = { 'idempotency-key': key };
  const { filename, purpose, content = '{}\n' } = body as { filename?: string; purpose?: string; content?: string };
  if (filename === undefined) return ask(path, { body, headers });
  const boundary = 'idempotency';
  const part = (field: string, content: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; ${field}\r\n\r\n${content}\r\n`;
  const fields = purpose === undefined ? '' : part('name="purpose"', purpose);
  const raw = `${fields}${part(`name="file"; filename="${filename}"`, content)}--${boundary}--\r\n`;
  return ask(path, { raw, headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` } });
}

async function countOf(ask: Ask, { list, search, trace }: Prepared): Promise<number> {
  return (await ask(list, search && { body: search })).text.split(trace).length - 1;
}

function comparable({ text, body }: Answer, { shownOnce }: Prepared): string {
  return shownOnce === undefined ? text : JSON.stringify({ ...(body as object), [shownOnce]: null });
}

function markOf(): string {
  return `m-${randomUUID()}`;
}
