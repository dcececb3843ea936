import { addFineTuned, listCatalogue, listInstalled, removeModel } from '../../operator/weights.ts';
import type { Context, ExitCode } from '../command.ts';
import { formatTable } from '../format-table.ts';
import { readConfig } from '../read-config.ts';
import { withPlatform } from '../with-platform.ts';

const MEGABYTE = 1_000_000;
const megabytes = (bytes: number) => `${Math.round(bytes / MEGABYTE)} MB`;

export async function showCatalogue({ output }: Context): Promise<ExitCode> {
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
    `${table}\n\nFetch one with: npx tramontane pull <id>. Any other GGUF works by path, https address or owner/name:file.gguf.`,
  );
  return 0;
}

export async function listModels(context: Context): Promise<ExitCode> {
  const config = readConfig(context);
  const models = await listInstalled(config.modelsDir);
  const rows = models.map(({ id, purpose, bytes, file }) => [id, purpose, megabytes(bytes), file]);
  const text =
    rows.length > 0
      ? formatTable(['ID', 'FOR', 'SIZE', 'FILE'], rows)
      : `No weights in ${config.modelsDir}. See: npx tramontane models catalog`;
  context.output.result(models, text);
  return 0;
}

export async function removeWeightsOf(context: Context): Promise<ExitCode> {
  const config = readConfig(context);
  const id = context.args.parameter('id');
  const freed = await removeModel(config, id);
  context.output.result({ id, freed_bytes: freed }, `${id} is gone; ${megabytes(freed)} are free again.`);
  return 0;
}

export async function addModel(context: Context): Promise<ExitCode> {
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
  const untried = `\nThe weights of '${row.root}' are not here yet, so it was not tried.`;
  output.result(
    row,
    `${row.id}\nA running server serves it within a second, to its workspace alone.${wasTried ? '' : untried}`,
  );
  return 0;
}
