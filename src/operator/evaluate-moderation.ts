import type { OnPullProgress } from '../compose/locate-weights.ts';
import { openModels } from '../compose/open-models.ts';
import type { Config } from '../config/config.ts';
import { processEnvironment } from '../config/environment.ts';
import { type Evaluation, evaluate } from '../guardrails/index.ts';
import { createLog } from '../kit/base/log.ts';
import { CommandFailure } from './command-failure.ts';

/** Measures a configured moderation model, the first one unless named, on the sentences that were kept out. */
export async function evaluateModeration(
  config: Config,
  options: { model: string | undefined; signal: AbortSignal; onPullProgress: OnPullProgress },
): Promise<Evaluation> {
  const opened = openModels(config, createLog('silent'), processEnvironment(), options.onPullProgress);
  try {
    const able = opened.models.filter(({ capabilities }) => capabilities.moderation);
    const model = able.find(({ id, aliases }) => !options.model || [id, ...aliases].includes(options.model));
    if (!model)
      throw new CommandFailure(
        noModel(
          options.model,
          able.map(({ id }) => id),
        ),
      );
    return await evaluate(model, options.signal);
  } finally {
    for (const { engine } of opened.models) await engine.close();
    await opened.close();
  }
}

function noModel(asked: string | undefined, able: string[]): string {
  if (able.length === 0) return 'No configured model has the capability moderation. See docs/moderation.md.';
  return `There is no moderation model '${asked}'. Configured: ${able.join(', ')}.`;
}
