import { Mistral } from '@mistralai/mistralai';
import * as agents from './calls/agents.ts';
import * as connectors from './calls/connectors.ts';
import * as inference from './calls/inference.ts';
import * as observability from './calls/observability.ts';
import * as registries from './calls/registries.ts';
import * as retrieval from './calls/retrieval.ts';
import * as soundAndFiles from './calls/sound-and-files.ts';
import * as workflows from './calls/workflows.ts';
import type { SweepPlatform } from './platform.ts';
import { type CallLog, recordCalls } from './record-calls.ts';

export type Sweep = {
  log: CallLog;
  broken: string[];
  /** Functions of a package that is not installed here. */
  absent: string[];
};

/** Runs every chapter, also after one has failed. */
export async function callTypescript(platform: SweepPlatform, progress: (text: string) => void): Promise<Sweep> {
  const log: CallLog = {};
  const broken: string[] = [];
  const options = { serverURL: platform.url, apiKey: platform.key, retryConfig: { strategy: 'none' } as const };
  const client = recordCalls(new Mistral(options), log);
  const chapters = Object.entries({
    ...inference,
    ...soundAndFiles,
    ...registries,
    ...agents,
    ...connectors,
    ...workflows,
    ...observability,
    ...retrieval,
  });
  for (const [name, chapter] of chapters) {
    progress(`sdk-sweep: TypeScript, ${name}`);
    await chapter(client, platform).catch((error: unknown) => broken.push(`${name}: ${String(error)}`));
  }
  return { log, broken, absent: [] };
}
