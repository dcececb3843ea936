import { type Answered, ask } from '../support/ask.ts';
import type { HostileRequest } from './hostile.ts';

export type AttackOrder = {
  url: string;
  key: string;
  seed: number;
  isQuick: boolean;
};
/** `failures` are statuses that no client may cause. */
export type AttackReport = { sent: number; accepted: string[]; failures: string[] };
export type Sent = { name: string; answered: Answered };

const AT_ONCE = 8;
const TIMEOUT_STATUS = 0;

export const repeat = <T>(items: T[], times: number): T[] => Array.from({ length: times }, () => items).flat();

export function post(url: string, key: string, path: string, body: unknown): Promise<Answered> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return ask(`${url}${path}`, { method: 'POST', headers, body: Buffer.from(JSON.stringify(body)) });
}

export async function sendAll({ url, key }: AttackOrder, requests: HostileRequest[]): Promise<AttackReport> {
  return tally(
    await inParallel(
      requests.map(({ path, body }) => async () => ({
        name: `POST ${path}`,
        answered: await post(url, key, path, body),
      })),
    ),
  );
}

export async function inParallel<T>(work: (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  const next = work.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const run of next) results.push(await run());
    }),
  );
  return results;
}

export function tally(results: Sent[]): AttackReport {
  const accepted = new Set(
    results.filter(({ answered }) => answered.status >= 200 && answered.status < 300).map(({ name }) => name),
  );
  const failed = ({ status }: Answered) => status === 500 || status === TIMEOUT_STATUS;
  const failures = results.filter(({ answered }) => failed(answered));
  return {
    sent: results.length,
    accepted: [...accepted],
    failures: failures.map(({ name, answered }) => `${name}: ${answered.status} ${answered.text.slice(0, 200)}`),
  };
}

export function join(reports: AttackReport[]): AttackReport {
  return {
    sent: reports.reduce((sum, { sent }) => sum + sent, 0),
    accepted: [...new Set(reports.flatMap(({ accepted }) => accepted))],
    failures: reports.flatMap(({ failures }) => failures),
  };
}
