import type { Logger } from '../../kit/base/log.ts';
import { createLlamaEngine } from './engine.ts';

const CONTEXT_TOKENS = 256;
/** Where in its own code llama.cpp complains is of no use to anybody who reads it. */
const PLACES = /^(\w+: )*(failed to apply lora adapter: )?/;

/** Loads weights, with an adapter if there is one, and lets go of them again. Says why that cannot be done, if it cannot. */
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
