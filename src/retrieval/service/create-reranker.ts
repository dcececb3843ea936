import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import { ApiError } from '../../kit/http/index.ts';
import { type Call, type Meter, startRun } from '../../metering/index.ts';
import type { ModelService } from '../../models/index.ts';
import { tenantOf } from '../../tenants/index.ts';

/** The relevance of each text for the query; only the order of the numbers matters. Null where nothing tells it. */
export type Rerank = (call: Call, query: string, texts: string[]) => Promise<number[] | null>;

type RerankPorts = {
  models: Pick<ModelService, 'find'>;
  meter: Meter;
  now: Clock;
  log: Logger;
  /** The configured model; without one nothing is reranked. */
  model: string | undefined;
};

const CHARACTERS_PER_TOKEN = 4;
/** The windows of such models are short, and what they cut off is not worth sending. */
const TEXT_CHARACTERS_MAX = 4000;

/** Asks the reranking model, on the account of who searches. */
export function createReranker({ models, meter, now, log, model: id }: RerankPorts): Rerank {
  return async (call, query, texts) => {
    const model = id === undefined ? undefined : models.find(id, call.scope.workspace_id, 'reranking');
    const rerank = model?.engine.rerank;
    if (!model || !rerank || texts.length === 0) return null;
    const cut = texts.map((text) => text.slice(0, TEXT_CHARACTERS_MAX));
    const characters = cut.reduce((sum, text) => sum + text.length, query.length * cut.length);
    const estimatedTokens = Math.ceil(characters / CHARACTERS_PER_TOKEN);
    const run = await startRun({ now, meter }, call, { kind: 'reranking', model: model.id, estimatedTokens });
    try {
      const { scores } = await rerank.call(model.engine, query, cut, call.signal, run, tenantOf(call.scope));
      run.settle(200);
      return scores;
    } catch (thrown) {
      const error = run.fail(thrown);
      // A model that is not there for the moment leaves the order that words and meaning have given.
      if (call.signal.aborted || !(error instanceof ApiError) || error.status < 500) throw error;
      log.warn({ model: model.id, err: error }, 'a search is not reranked: its model does not answer');
      return null;
    }
  };
}
