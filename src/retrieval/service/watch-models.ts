import type { Logger } from '../../kit/base/log.ts';

export type ModelWatch = {
  missing(model: string, error: unknown): void;
  there(model: string): void;
};

/** However many documents and searches need a model that is not there, the log says so once, and once when it is back. */
export function createModelWatch(log: Logger): ModelWatch {
  const reported = new Set<string>();
  return {
    missing(model, error) {
      if (reported.has(model)) return;
      reported.add(model);
      log.warn(
        { model, err: error },
        `the embedding model of documents is not there: they wait for it, and searches go by words alone. Run "tramontane pull ${model}", or name another model as search.embedding_model.`,
      );
    },
    there(model) {
      if (reported.delete(model)) log.info({ model }, 'the embedding model of documents is there');
    },
  };
}
