import { findPublicPrice, PUBLIC_PRICES_DATE } from '../config/public-prices.ts';
import type { FileConfig, ModelConfig } from '../config/schema.ts';
import type { ModelLimits, Price } from '../metering/index.ts';

/** The prices and limits of models: those of the file, and where it wants that, public ones for upstream models that have none there. */
export function readPrices({ models, public_prices }: Pick<FileConfig, 'models' | 'public_prices'>) {
  const prices = new Map<string, Price>();
  const sources = new Map<string, string>();
  const limits = new Map<string, ModelLimits>();
  let stored: string[] = [];
  for (const model of models) add(model);

  function add(model: ModelConfig): void {
    const { requests_per_minute = null, tokens_per_minute = null } = model.limits;
    if (requests_per_minute !== null || tokens_per_minute !== null)
      limits.set(model.id, { requestsPerMinute: requests_per_minute, tokensPerMinute: tokens_per_minute });
    const listed = public_prices.enabled ? publicPriceOf(model) : undefined;
    if (listed) sources.set(model.id, `public prices of ${PUBLIC_PRICES_DATE}`);
    const { dollar } = public_prices;
    prices.set(
      model.id,
      listed ? { prompt: listed.prompt * dollar, completion: listed.completion * dollar } : toPrice(model.price),
    );
  }
  return {
    prices,
    limitsOf: (model: string) => limits.get(model),
    sourceOf: (model: string) => sources.get(model),
    /** Those of the models of the database, which never have the id of a model of the file. */
    setStored(models: readonly ModelConfig[]) {
      for (const id of stored) {
        prices.delete(id);
        sources.delete(id);
        limits.delete(id);
      }
      stored = models.map(({ id }) => id);
      for (const model of models) add(model);
    },
  };
}

function publicPriceOf(model: ModelConfig): Price | undefined {
  const { prompt, completion, audio_minute } = model.price;
  if (model.engine !== 'upstream' || prompt > 0 || completion > 0 || audio_minute !== undefined) return undefined;
  return findPublicPrice(model.upstream_model ?? model.id);
}

function toPrice({ prompt, completion, audio_minute }: ModelConfig['price']): Price {
  return { prompt: audio_minute === undefined ? prompt : (audio_minute / 60) * 1_000_000, completion };
}
