import type { Logger } from '../../kit/base/log.ts';
import { createLlamaEngine } from './engine.ts';

const CONTEXT_TOKENS = 256;
/** Names of llama.cpp's own functions before its message. */
const PLACES = /^(\w+: )*(failed to apply lora adapter: )?/;

/** Loads weights, with an adapter if there is one, and unloads them. Returns why that failed, if it did. */
export async function tryWeights(options: {
  file: string;
  adapter?: string | undefined;
  log: Logger;
}): Promise<string | undefined> {
  const { file, adapter, log } = options;
  const engine = createLlamaEngine({
    name: 'tried',
    file,
    log,
    contextTokens: CONTEXT_TOKENS,
    sequences: 1,
    ...(adapter === undefined ? {} : { adapter }),
  });
  try {
    await engine.warm();
    return undefined;
  } catch (error) {
    const { message, cause } = error as Error;
    return cause instanceof Error ? cause.message.replace(PLACES, '') : message;
  } finally {
    await engine.close();
  }
}
