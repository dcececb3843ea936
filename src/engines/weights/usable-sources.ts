import { tmpdir } from 'node:os';
import { catalogue } from './catalogue.ts';
import { SourceFailed } from './errors.ts';
import { explainHttpError } from './http.ts';
import { ask, type HuggingFace } from './huggingface.ts';
import { explainOutput, npm, type PackageClient, pip, runClient } from './package-clients.ts';
import type { ProgramEnvironment } from './run-program.ts';

export type UsableSource = { source: 'huggingface' | 'pip' | 'npm'; isUsable: boolean; detail: string };

const ANSWER_MS = 4000;
const CLIENT_MS = 15_000;

/** Which sources answer from this machine right now, each asked about something it has. */
export async function usableSources(options: {
  environment: ProgramEnvironment;
  huggingFace?: HuggingFace;
  answerMs?: number;
  clientMs?: number;
  signal?: AbortSignal;
}): Promise<UsableSource[]> {
  const signal = options.signal ?? new AbortController().signal;
  return Promise.all([
    askHuggingFace(options.huggingFace ?? {}, options.answerMs ?? ANSWER_MS, signal),
    askClient(pip, options.environment, options.clientMs ?? CLIENT_MS, signal),
    askClient(npm, options.environment, options.clientMs ?? CLIENT_MS, signal),
  ]);
}

async function askHuggingFace(huggingFace: HuggingFace, answerMs: number, signal: AbortSignal): Promise<UsableSource> {
  try {
    const status = await ask(huggingFace, answerMs, signal);
    return { source: 'huggingface', isUsable: status < 500, detail: `it answers (${status})` };
  } catch (error) {
    signal.throwIfAborted();
    const detail = error instanceof SourceFailed ? error.message : explainHttpError(error, { answerMs });
    return { source: 'huggingface', isUsable: false, detail };
  }
}

async function askClient(
  client: PackageClient,
  environment: ProgramEnvironment,
  limitMs: number,
  signal: AbortSignal,
): Promise<UsableSource> {
  const { kind } = client;
  const limit = AbortSignal.timeout(limitMs);
  try {
    const args = client.ask(packageOf(kind));
    const options = { cwd: tmpdir(), environment, signal: AbortSignal.any([signal, limit]) };
    const result = await runClient(client, args, options);
    if (result.kind === 'missing') return { source: kind, isUsable: false, detail: 'not installed' };
    if (result.code !== 0) return { source: kind, isUsable: false, detail: explainOutput(result.output) };
    return { source: kind, isUsable: true, detail: 'its registry answers' };
  } catch (error) {
    signal.throwIfAborted();
    if (!limit.aborted) throw error;
    return { source: kind, isUsable: false, detail: `no answer within ${limitMs / 1000} s` };
  }
}

function packageOf(kind: 'pip' | 'npm'): string {
  const sources = catalogue.flatMap(({ files }) => files.flatMap((file) => file.sources));
  return sources.flatMap((source) => (source.kind === kind ? source.parts : []))[0]?.name ?? '';
}
