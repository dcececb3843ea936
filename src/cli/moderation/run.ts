import { evaluateModeration } from '../../operator/evaluate-moderation.ts';
import { describeProgress } from '../../operator/weights.ts';
import type { Context } from '../shell/command.ts';
import { formatTable } from '../shell/format-table.ts';
import { listenForSignals } from '../shell/listen-for-signals.ts';
import { readConfig } from '../shell/read-config.ts';

export async function evaluate(context: Context): Promise<undefined> {
  const { args, output } = context;
  const cancel = new AbortController();
  void listenForSignals(() => process.exit(1)).then(() => cancel.abort(new Error('stopped')));
  const evaluation = await evaluateModeration(readConfig(context), {
    model: args.text('model'),
    signal: cancel.signal,
    onPullProgress: (model, news) =>
      output.progress(`${model}: ${news === 'here' ? 'downloaded' : describeProgress(news)}`),
  });
  const { categories, overall, any, model, sentences, harmless } = evaluation;
  const rows = Object.entries({ ...categories, overall, 'any category': any }).map(([name, figures]) => [
    name,
    share(figures.precision),
    share(figures.recall),
    String(figures.sentences),
    String(figures.found),
    String(figures.missed),
    String(figures.wrong),
  ]);
  const table = formatTable(['CATEGORY', 'PRECISION', 'RECALL', 'SENTENCES', 'FOUND', 'MISSED', 'WRONG'], rows);
  const head = `${model} on ${sentences} held-out sentences, ${harmless} of them harmless`;
  output.result(evaluation, `${head}\n\n${table}`);
}

function share(value: number | null): string {
  return value === null ? '-' : value.toFixed(2);
}
