import { connectModel, disconnectModel, listManaged } from '../../operator/model-settings.ts';
import { type Context, UsageError } from '../shell/command.ts';
import { formatTable } from '../shell/format-table.ts';
import { withPlatform } from '../shell/with-platform.ts';

const WITHIN = 'Running servers follow within a second.';

export async function connect(context: Context): Promise<undefined> {
  const { args, output } = context;
  const number = (option: string) => readNumber(option, args.text(option));
  if (!args.text('url') && !args.text('preset'))
    throw new UsageError('Say where it is: --url <address> or --preset <name>.');
  const made = await withPlatform(context, (platform, config) =>
    connectModel(platform, config, {
      id: args.parameter('id'),
      preset: args.text('preset'),
      url: args.text('url'),
      upstream_model: args.text('model'),
      kind: args.text('kind'),
      aliases: args.text('aliases')?.split(',').filter(Boolean),
      api_key: readKey(context),
      private_network: args.flag('private'),
      max_context_length: number('context'),
      price: { prompt: number('price-input') ?? 0, completion: number('price-output') ?? 0 },
      limits: {
        requests_per_minute: number('requests-per-minute'),
        tokens_per_minute: number('tokens-per-minute'),
      },
    }),
  );
  const [target] = made.targets;
  output.result(made, `Stored ${made.id}, which is at ${target?.url ?? ''}. ${WITHIN}`);
}

export async function disconnect(context: Context): Promise<undefined> {
  const id = context.args.parameter('id');
  const removed = await withPlatform(context, (platform, config) => disconnectModel(platform, config, id));
  context.output.result(removed, `Removed ${id}. ${WITHIN}`);
}

export async function showManaged(context: Context): Promise<undefined> {
  const models = await withPlatform(context, listManaged);
  const rows = models.map(({ id, source, engine, targets, weights, problem }) => [
    id,
    source,
    engine,
    targets[0]?.url ?? weights ?? '-',
    problem ?? '-',
  ]);
  context.output.result(models, formatTable(['ID', 'FROM', 'ENGINE', 'WHERE', 'PROBLEM'], rows, 'No models.'));
}

/** The command line is seen by others on the machine, so it names a variable. */
function readKey({ args, environment }: Context): string | undefined {
  const variable = args.text('key');
  if (variable === undefined) return undefined;
  const key = environment[variable];
  if (!key) throw new UsageError(`The environment has no variable ${variable}.`);
  return key;
}

function readNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) throw new UsageError(`--${option} takes a number, not '${text}'.`);
  return value;
}
