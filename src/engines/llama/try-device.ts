import type { Host } from '../process/serve-parent.ts';
import { endLate } from './end-late.ts';
import type { Native } from './native.ts';

const GREEDY = { temperature: 0, topP: 1, seed: 0, presencePenalty: 0, frequencyPenalty: 0, repetitionPenalty: 1 };

/** A prompt that fills a batch, and two tokens: with what a GPU cannot compute it fails here, and not in the first request. */
export async function tryDevice(
  native: Native,
  { broken, progress }: Pick<Host, 'broken' | 'progress'>,
  trialMs: number | undefined,
): Promise<void> {
  const { batchTokens, contextTokens } = native;
  const sampler = await native.createSampler(GREEDY);
  let position = 0;

  async function generate(tokens: number[]): Promise<number> {
    const [place] = await native.evaluate([{ sequence: 0, position, tokens, wantsLogits: true }]);
    position += tokens.length;
    return native.sample(place ?? 0, sampler);
  }

  async function step(tokens: number[]): Promise<number> {
    progress();
    const token = await endLate(generate(tokens), 'did not finish a step of its trial', broken, trialMs);
    if (token < 0) throw new Error('no token was chosen');
    return token;
  }

  try {
    const prompt = new Array<number>(Math.min(batchTokens, contextTokens - 1)).fill(0);
    await step([await step(prompt)]);
    native.clear(0);
  } catch (error) {
    await broken(`failed its trial: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    sampler.dispose();
  }
}

/** A GPU that fails on a batch after its trial is left as well, and requests that no answer was begun for are repeated. */
export function leaveBrokenGpu(native: Native, { broken }: Pick<Host, 'broken'>): Native {
  if (!native.gpu) return native;
  return {
    ...native,
    evaluate: (entries) =>
      native.evaluate(entries).catch((error: Error) => {
        // Not the device's fault.
        if (error.message.includes('KV slot')) throw error;
        return broken(`could not compute: ${error.message}`);
      }),
  };
}
