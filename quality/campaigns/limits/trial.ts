import { type Answered, ask } from '../support/ask.ts';
import type { Served } from '../support/start-server.ts';
import type { Operation } from './operations.ts';

const TRIES = 6;
const CPU_MS_MAX = 50;
/** The short form runs beside other tests, where the same work takes longer; quadratic work still takes far longer. */
const CPU_MS_MAX_IN_QUICK = 3 * CPU_MS_MAX;

export const cpuBarMs = (quick: boolean): number => (quick ? CPU_MS_MAX_IN_QUICK : CPU_MS_MAX);

/** What went wrong, in words, and the maximum CPU time of a request. */
export type Trials = {
  served: Served;
  cpuMsMax: number;
  count: number;
  faults: string[];
  worst: { ms: number; name: string };
};

export function createTrials(served: Served, quick: boolean): Trials {
  return { served, cpuMsMax: cpuBarMs(quick), count: 0, faults: [], worst: { ms: 0, name: '' } };
}

export function send(
  { url, credentials }: Served,
  { path, route, surface }: Operation,
  body: Buffer | undefined,
  more: { headers?: Record<string, string>; isChunked?: boolean; query?: string } = {},
): Promise<Answered> {
  return ask(`${url}${path}${more.query ?? ''}`, {
    method: route.method,
    headers: {
      ...credentials[surface],
      ...(body ? { 'content-type': 'application/json' } : {}),
      accept: 'application/json, text/event-stream',
      ...more.headers,
    },
    body,
    isChunked: more.isChunked ?? false,
  });
}

/** CPU time of the server for `work`, the minimum of a few tries where it exceeds `limitMs`: one may include a GC. */
export async function leastCpuMs(
  { cpuMs }: Served,
  limitMs: number,
  work: () => Promise<Answered>,
): Promise<[Answered, number]> {
  let [answered, least] = await cpuMs(work);
  for (let tried = 1; tried < TRIES && least > limitMs; tried++) {
    const [again, ms] = await cpuMs(work);
    [answered, least] = [again, Math.min(least, ms)];
  }
  return [answered, least];
}

export function note(trials: Trials, name: string, fault: string | undefined, beyondMs = 0): void {
  trials.count++;
  if (fault !== undefined) trials.faults.push(`${name}: ${fault}`);
  if (beyondMs > trials.worst.ms) trials.worst = { ms: beyondMs, name };
}
