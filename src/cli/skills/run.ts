import { CommandFailure } from '../../operator/command-failure.ts';
import { readVersion } from '../folder/diff-versions.ts';
import type { RemoteObject } from '../folder/kind.ts';
import { type SkillDefinition, skillFiles } from '../folder/skill-kind.ts';
import { toText } from '../folder/text-file.ts';
import { openApi } from '../shell/api-client.ts';
import { type Context, UsageError } from '../shell/command.ts';
import { formatTable, formatTime } from '../shell/format-table.ts';

type Listed = RemoteObject<SkillDefinition> & { updatedAt: string };

const DESCRIPTION_CHARACTERS = 60;

export async function listSkills(context: Context): Promise<undefined> {
  const { args, output } = context;
  const alias = args.text('alias');
  const skills = await openApi(context).list<Listed>('/v2/skills', alias === undefined ? {} : { alias });
  const rows = skills.map(({ name, version, aliases, sharingScope, updatedAt, definition: { description = '' } }) => [
    name,
    String(version),
    aliases.join(', ') || '-',
    sharingScope,
    formatTime(updatedAt),
    description.length > DESCRIPTION_CHARACTERS ? `${description.slice(0, DESCRIPTION_CHARACTERS)}…` : description,
  ]);
  const header = ['NAME', 'VERSION', 'ALIASES', 'SHARING', 'UPDATED', 'DESCRIPTION'];
  const none = 'This key can read no skills. Import some: npx tramontane import <dir>';
  output.result(skills, formatTable(header, rows, none));
}

export async function showSkill(context: Context): Promise<undefined> {
  const { args, output } = context;
  const name = args.parameter('name');
  const [version, alias] = [args.text('version'), args.text('alias')];
  if (version !== undefined && alias !== undefined) throw new UsageError('Give --version or --alias, not both.');
  const skill = await readVersion<SkillDefinition>(openApi(context), 'skill', name, version ?? alias ?? 'latest');
  const files = skillFiles(skill.name, skill.definition);
  const path = args.text('file') ?? 'SKILL.md';
  const file = files.get(path);
  if (!file)
    throw new CommandFailure(`The skill ${name} has no file '${path}'. It has: ${[...files.keys()].join(', ')}`);
  const text = toText(file.bytes);
  if (text === undefined) throw new CommandFailure(`${path} is a binary file. Use --json, or export the skill.`);
  output.result(skill, text.replace(/\n$/, ''));
  const others = [...files.keys()].filter((other) => other !== path);
  const more = others.length > 0 ? `; also ${others.join(', ')}` : '';
  output.note(`[${skill.name} version ${skill.version} of ${skill.latestVersion}, ${skill.sharingScope}${more}]`);
}

export async function skillIntake(context: Context): Promise<undefined> {
  const { args, output } = context;
  const api = openApi(context);
  const policy = args.text('policy');
  const intake =
    policy === undefined
      ? await api.get<{ policy: string }>('/v1/skill-intake')
      : (await api.send<{ policy: string }>('PUT', '/v1/skill-intake', { policy })).data;
  const words =
    intake.policy === 'refuse'
      ? 'Skills with findings of the intake scan are refused.'
      : 'Skills with findings of the intake scan are accepted; the findings are reported and audited.';
  output.result(intake, words);
}
