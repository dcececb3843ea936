import { addFineTuned, listCatalogue, listInstalled, pullModel, removeModel } from '../../operator/weights.ts';
import type { Context } from '../shell/command.ts';
import { drawProgress } from '../shell/draw-progress.ts';
import { formatTable } from '../shell/format-table.ts';
import { listenForSignals } from '../shell/listen-for-signals.ts';
import { readConfig } from '../shell/read-config.ts';
import { withPlatform } from '../shell/with-platform.ts';
import { howToServe } from './how-to-serve.ts';

const MEGABYTE = 1_000_000;
const megabytes = (bytes: number) => `${Math.round(bytes / MEGABYTE)} MB`;

export async function showCatalogue({ output }: Context): Promise<undefined> {
  const models = listCatalogue();
  const rows = models.map(({ id, purpose, licence, bytes, memory_bytes, speed, chooses_tools, sources }) => [
    id,
    purpose,
    licence,
    megabytes(bytes),
    megabytes(memory_bytes),
    speed,
    chooses_tools ? 'yes' : '-',
    sources.join(', '),
  ]);
  const table = formatTable(['ID', 'FOR', 'LICENCE', 'SIZE', 'MEMORY', 'SPEED', 'TOOLS', 'SOURCES'], rows);
  output.result(
    models,
    `${table}\n\nDownload one with: npx tramontane pull <id>. Any other GGUF works by path, https URL or owner/name:file.gguf.`,
  );
}

export async function listModels(context: Context): Promise<undefined> {
  const config = readConfig(context);
  const models = await listInstalled(config.modelsDir);
  const rows = models.map(({ id, purpose, bytes, file }) => [id, purpose, megabytes(bytes), file]);
  const none = `No weights in ${config.modelsDir}. See: npx tramontane models catalog`;
  context.output.result(models, formatTable(['ID', 'FOR', 'SIZE', 'FILE'], rows, none));
}

export async function removeWeightsOf(context: Context): Promise<undefined> {
  const config = readConfig(context);
  const id = context.args.parameter('id');
  const freed = await removeModel(config, id);
  context.output.result({ id, freed_bytes: freed }, `Deleted ${id}; freed ${megabytes(freed)}.`);
}

export async function addModel(context: Context): Promise<undefined> {
  const { args, output } = context;
  const { row, wasTried } = await withPlatform(context, async (platform, config) => {
    const workspace = await platform.tenants.chooseWorkspace({
      organization: args.text('organization'),
      workspace: args.text('workspace'),
    });
    return addFineTuned(platform, config, {
      base: args.text('base') ?? '',
      file: args.text('file'),
      adapter: args.text('adapter'),
      workspaceId: workspace.id,
      name: args.text('name'),
    });
  });
  const untested = `\nIt was not tested, because the weights of '${row.root}' are not downloaded yet.`;
  output.result(
    row,
    `${row.id}\nRunning servers serve it within a second, to its workspace only.${wasTried ? '' : untested}`,
  );
}

export async function pull(context: Context): Promise<undefined> {
  const { args, output } = context;
  const config = readConfig(context);
  const cancel = new AbortController();
  void listenForSignals(() => process.exit(1)).then(() =>
    cancel.abort(new Error('stopped; run the same command to resume')),
  );
  const pulled = await pullModel(config, args.parameter('model'), {
    sha256: args.text('sha256'),
    signal: cancel.signal,
    onProgress: (progress) => output.progress(drawProgress(progress.file, progress)),
  });
  const { id, file, sha256 } = pulled;
  output.result(pulled, `Downloaded ${id}: ${file}\nsha256 ${sha256}\n\n${howToServe(config, id)}`);
}
