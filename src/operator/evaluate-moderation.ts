import type { OnPullProgress } from '../compose/locate-weights.ts';
import { openModels } from '../compose/open-models.ts';
import type { Config } from '../config/config.ts';
import { processEnvironment } from '../config/environment.ts';
import { type Evaluation, evaluate } from '../guardrails/index.ts';
import { createLog } from '../kit/base/log.ts';
import { CommandFailure } from './command-failure.ts';

/** Evaluates a moderation model, the first one unless named, on the held-out sentences. */
export async function evaluateModeration(
  config: Config,
  options: { model: string | undefined; signal: AbortSignal; onPullProgress: OnPullProgress },
): Promise<Evaluation> {
  const opened = openModels(config, createLog('silent'), processEnvironment(), options.onPullProgress);
  try {
    const capable = opened.models.filter(({ capabilities }) => capabilities.moderation);
    const model = capable.find(({ id, aliases }) => !options.model || [id, ...aliases].includes(options.model));
    if (capable.length === 0)
      throw new CommandFailure('No configured model has the capability moderation. See docs/moderation.md.');
    if (!model)
      throw new CommandFailure(
        `There is no moderation model '${options.model}'. Configured: ${capable.map(({ id }) => id).join(', ')}.`,
      );
    return await evaluate(model, options.signal);
  } finally {
    for (const { engine } of opened.models) await engine.close();
    await opened.close();
  }
}
