import { openApi } from '../shell/api-client.ts';
import { type Context, UsageError } from '../shell/command.ts';
import { formatTable, formatTime } from '../shell/format-table.ts';

const FIELDS = 'id,name,version,latestVersion,aliases,sharingScope,updatedAt,title';

type Prompt = {
  id: string;
  name: string;
  version: number;
  latestVersion: number;
  aliases: string[];
  sharingScope: string;
  updatedAt: string;
  title?: string;
  notes?: string;
  definition: { content: string; variables: { name: string }[] };
};
type Model = { model: string | null };
type Move = { alias: string; fromVersion: number | null; toVersion: number | null; movedAt: string; movedBy: string };

const pathOf = (name: string) => `/v2/prompts/${encodeURIComponent(name)}`;

export async function listPrompts(context: Context): Promise<undefined> {
  const prompts = await openApi(context).list<Prompt>('/v2/prompts', { fields: FIELDS });
  const rows = prompts.map(({ name, version, aliases, sharingScope, updatedAt, title }) => [
    name,
    String(version),
    aliases.join(', ') || '-',
    sharingScope,
    formatTime(updatedAt),
    title ?? '-',
  ]);
  const header = ['NAME', 'LATEST', 'ALIASES', 'SHARING', 'UPDATED (UTC)', 'TITLE'];
  const none = 'No prompts yet. Create one with POST /v2/prompts, an SDK or tramontane import.';
  context.output.result(prompts, formatTable(header, rows, none));
}

export async function showPrompt(context: Context): Promise<undefined> {
  const { args, output } = context;
  const api = openApi(context);
  const name = args.parameter('name');
  const [version, alias] = [args.text('version'), args.text('alias')];
  if (version !== undefined && alias !== undefined) throw new UsageError('Give --version or --alias, not both.');
  const query = new URLSearchParams({ ...(version && { version }), ...(alias && { alias }) });
  const prompt = await api.get<Prompt>(`${pathOf(name)}?${query}`);
  const { model } = await api.get<Model>(`${pathOf(name)}/model`);
  const names = prompt.definition.variables.map((variable) => variable.name);
  const facts: [string, string | undefined][] = [
    ['Title', prompt.title],
    ['Version', `${prompt.version} of ${prompt.latestVersion}`],
    ['Aliases', prompt.aliases.join(', ')],
    ['Sharing', prompt.sharingScope],
    ['Variables', names.join(', ')],
    ['Model', model ?? 'none (tramontane prompts set-model)'],
    ['Notes', prompt.notes],
  ];
  const lines = facts.filter(([, value]) => value).map(([label, value]) => `${label.padEnd(11)}${value}`);
  output.result({ ...prompt, model }, `${lines.join('\n')}\n\n${prompt.definition.content}`);
}

export async function setPromptModel(context: Context): Promise<undefined> {
  const { args, output } = context;
  const [name, given] = [args.parameter('name'), args.parameter('model')];
  const model = given === 'none' ? null : given;
  const { data } = await openApi(context).send<Model>('PUT', `${pathOf(name)}/model`, { model });
  output.result(
    { name, ...data },
    model === null
      ? `Removed the model of ${name}.`
      : `${name} now uses ${model}. Call it as the model "prompt:${name}".`,
  );
}

export async function showAliases(context: Context): Promise<undefined> {
  const path = `${pathOf(context.args.parameter('name'))}/alias_moves`;
  const { data } = await openApi(context).get<{ data: Move[] }>(path);
  const rows = data.map(({ alias, fromVersion, toVersion, movedAt, movedBy }) => [
    alias,
    String(fromVersion ?? '-'),
    String(toVersion ?? '-'),
    formatTime(movedAt),
    movedBy,
  ]);
  const header = ['ALIAS', 'FROM', 'TO', 'MOVED (UTC)', 'USER'];
  context.output.result(data, formatTable(header, rows, 'No alias has been set yet.'));
}
