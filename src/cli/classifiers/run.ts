import { basename, extname } from 'node:path';
import { listTrained, removeTrained, trainFromFile } from '../../operator/classifiers.ts';
import { describeProgress } from '../../operator/weights.ts';
import { type Context, UsageError } from '../shell/command.ts';
import { formatTable } from '../shell/format-table.ts';
import { listenForSignals } from '../shell/listen-for-signals.ts';
import { withPlatform } from '../shell/with-platform.ts';

const HELD_OUT_SHARE = 0.2;
const HELD_OUT_MAX = 0.5;

export async function train(context: Context): Promise<undefined> {
  const { args, output } = context;
  const cancel = new AbortController();
  void listenForSignals(() => process.exit(1)).then(() => cancel.abort(new Error('stopped')));
  const file = args.parameter('file');
  const heldOutShare = readNumber(context, 'held-out', HELD_OUT_SHARE);
  if (!(heldOutShare > 0 && heldOutShare <= HELD_OUT_MAX))
    throw new UsageError(`--held-out is a share above 0 and up to ${HELD_OUT_MAX}.`);
  const trained = await withPlatform(context, async (platform, config) => {
    const isForOne = args.text('workspace') !== undefined || args.text('organization') !== undefined;
    const workspace = isForOne
      ? await platform.tenants.chooseWorkspace({
          organization: args.text('organization'),
          workspace: args.text('workspace'),
        })
      : undefined;
    return trainFromFile(platform, config, {
      file,
      name: args.text('name') ?? basename(file, extname(file)),
      workspaceId: workspace?.id,
      model: args.text('model'),
      heldOutShare,
      seed: readNumber(context, 'seed', 1),
      signal: cancel.signal,
      onProgress: (text) => output.progress(text),
      onPullProgress: (model, news) =>
        output.progress(`${model}: ${news === 'here' ? 'downloaded' : describeProgress(news)}`),
    });
  });
  const { id, root, figures } = trained;
  const head = `${id} over ${root}: trained on ${figures.examples - figures.held_out} examples, measured on ${figures.held_out} others`;
  const tables = Object.entries(figures.targets).map(([target, { accuracy, macro_f1, calibration_error, labels }]) => {
    const rows = Object.entries(labels).map(([label, { examples, precision, recall, f1 }]) => [
      label,
      ...[precision, recall, f1].map(share),
      String(examples),
    ]);
    const summary = `${target}: accuracy ${share(accuracy)}, macro F1 ${share(macro_f1)}, calibration error ${share(calibration_error)}`;
    return `${summary}\n\n${formatTable(['LABEL', 'PRECISION', 'RECALL', 'F1', 'EXAMPLES'], rows)}`;
  });
  const use = `Running servers serve it within a second: POST /v1/classifications with "model": "${id}".`;
  output.result(trained, [head, ...tables, use].join('\n\n'));
}

export async function list(context: Context): Promise<undefined> {
  const rows = await withPlatform(context, listTrained);
  const table = rows.map(({ id, workspace_id, root, figures, isServed }) => [
    id,
    workspace_id ?? 'all',
    root,
    Object.entries(figures.targets)
      .map(([target, { accuracy }]) => `${target} ${share(accuracy)}`)
      .join(', '),
    isServed ? 'yes' : `no: ${root} is not configured`,
  ]);
  const none = 'No classifiers yet. Train one with: npx tramontane classifiers train <labels.jsonl>';
  context.output.result(rows, formatTable(['ID', 'WORKSPACE', 'OVER', 'ACCURACY', 'SERVED'], table, none));
}

export async function remove(context: Context): Promise<undefined> {
  const id = context.args.parameter('id');
  await withPlatform(context, (platform, config) => removeTrained(platform, config, id));
  context.output.result({ id, deleted: true }, `Deleted ${id}.`);
}

function readNumber({ args }: Context, option: string, byDefault: number): number {
  const given = args.text(option);
  const number = given === undefined ? byDefault : Number(given);
  if (!Number.isFinite(number)) throw new UsageError(`--${option} is a number, not '${given}'.`);
  return number;
}

function share(value: number | null): string {
  return value === null ? '-' : value.toFixed(2);
}
