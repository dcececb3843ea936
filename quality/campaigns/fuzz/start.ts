import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartChild } from '../../bench/children.ts';
import { startScriptedModel } from './scripted-model.ts';
import { type Keys, type Known, seed, work } from './seed.ts';

export type Fuzzed = Keys & { known: Known };

/** A separate server with a model for everything, some objects, and its two keys. */
export async function withServer<T>(
  directory: string,
  start: StartChild,
  run: (server: Fuzzed) => Promise<T>,
): Promise<T> {
  const model = await startScriptedModel();
  const config = join(directory, 'fuzz.json');
  writeFileSync(config, JSON.stringify({ models: modelsAt(model.url) }));
  const child = start(new URL('serve.ts', import.meta.url), {
    role: 'free',
    env: {
      TRAMONTANE_PORT: '0',
      TRAMONTANE_DATA_DIR: join(directory, 'data'),
      TRAMONTANE_CONFIG: config,
      TRAMONTANE_AUTO_PULL: 'off',
      TRAMONTANE_CONSOLE: 'off',
      TRAMONTANE_LOG_LEVEL: 'error',
    },
  });
  try {
    const keys = await child.ask<Keys>('opened');
    const worker = await work(keys);
    try {
      return await run({ ...keys, known: await seed(keys) });
    } finally {
      await worker.stop();
    }
  } finally {
    await child.end('SIGKILL');
    model.stop();
  }
}

function modelsAt(url: string): object[] {
  const upstream = { engine: 'upstream', url };
  return [
    {
      id: 'scripted',
      ...upstream,
      capabilities: { completion_chat: true, function_calling: true, completion_fim: true, vision: true },
    },
    { id: 'vectors', ...upstream, capabilities: {} },
    { id: 'judge', ...upstream, capabilities: { moderation: true } },
    { id: 'ear', ...upstream, kind: 'transcription' },
    { id: 'espeak-ng', engine: 'espeak' },
    { id: 'tesseract', engine: 'tesseract' },
  ];
}
