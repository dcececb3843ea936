import { ApiError, type Scope } from '../../kit/http/index.ts';
import type { CatalogueSkill, SkillCatalogue } from '../../skills/index.ts';
import { conversationErrors } from '../errors.ts';
import type { ServerTool } from '../run/toolbox.ts';

type Catalogue = Pick<SkillCatalogue, 'read' | 'readFile'>;
export type OpenedSkills = { tools: ServerTool[]; instructions: string[]; provenance: string[] };

const TEXT_CHARACTERS_MAX = 64 * 1024;
const FILES_LISTED_MAX = 200;
const DESCRIPTION_CHARACTERS_MAX = 1024;

/** The names and descriptions of an agent's skills for the model, and the tool that loads one. */
export async function openSkills(catalogue: Catalogue, named: readonly string[], caller: Scope): Promise<OpenedSkills> {
  const skills = await Promise.all(named.map((reference) => findSkill(catalogue, reference, caller)));
  const lines = skills.map(({ name, description }) => `- ${name}: ${oneLine(description)}`);
  return {
    tools: [loadTool(catalogue, skills)],
    instructions: [
      `You have skills: instructions and files for particular tasks. When a task fits one, load it with load_skill before you begin.\n${lines.join('\n')}`,
    ],
    provenance: skills.map(({ name, version, digest }) => `${name}@${version}=sha256:${digest}`),
  };
}

async function findSkill(catalogue: Catalogue, reference: string, caller: Scope): Promise<CatalogueSkill> {
  if (!caller.permissions.has('skills:read')) throw conversationErrors.skills_forbidden();
  const [name = '', selected] = reference.split('@');
  const selector =
    selected === undefined ? {} : /^\d+$/.test(selected) ? { version: Number(selected) } : { alias: selected };
  try {
    return await catalogue.read(caller, name, selector);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw conversationErrors.skill_unavailable(reference);
  }
}

function loadTool(catalogue: Catalogue, skills: readonly CatalogueSkill[]): ServerTool {
  return {
    name: 'load_skill',
    description: 'Load the instructions of one of your skills, or with path one of its files.',
    parameters: {
      type: 'object',
      properties: {
        name: { type: 'string', enum: skills.map(({ name }) => name) },
        path: { type: 'string', description: 'A file of the skill, as its instructions name it' },
      },
      required: ['name'],
    },
    needsConfirmation: false,
    async run({ arguments: { name, path }, caller }) {
      const listed = skills.find((one) => one.name === name);
      if (!listed)
        throw conversationErrors.tool_call_invalid(
          `There is no skill '${name}'. There are: ${skills.map((one) => one.name).join(', ')}.`,
        );
      const { version, digest } = listed;
      // Read when it is used: it may have been deleted, or be shared no longer.
      const skill = await findSkill(catalogue, `${listed.name}@${version}`, caller);
      const info = { skill: skill.name, version, digest: `sha256:${digest}` };
      if (path === undefined || path === '' || path === 'SKILL.md') return { text: describe(skill), info, chunks: [] };
      const text = await readText(catalogue, skill, String(path), caller);
      return { text, info: { ...info, path: String(path) }, chunks: [] };
    },
  };
}

async function readText(catalogue: Catalogue, skill: CatalogueSkill, path: string, caller: Scope): Promise<string> {
  const listed = skill.files.find((file) => file.path === path);
  if (!listed)
    throw conversationErrors.tool_call_invalid(
      `The skill '${skill.name}' has no file '${path}'. It has: ${list(skill)}.`,
    );
  if (!listed.isText)
    throw conversationErrors.tool_call_invalid(`The file '${path}' is not a text (${listed.bytes} bytes).`);
  const { content } = await catalogue.readFile(caller, skill.id, path, { version: skill.version });
  return cut(content.toString('utf8'));
}

function describe(skill: CatalogueSkill): string {
  const others = skill.files.length > 1 ? `\n\nFiles, to be loaded by path: ${list(skill)}.` : '';
  return cut(skill.body) + others;
}

function list({ files }: CatalogueSkill): string {
  const paths = files.slice(1).map(({ path }) => path);
  const more = paths.length - FILES_LISTED_MAX;
  return `${paths.slice(0, FILES_LISTED_MAX).join(', ') || 'none'}${more > 0 ? ` and ${more} more` : ''}`;
}

function cut(text: string): string {
  if (text.length <= TEXT_CHARACTERS_MAX) return text;
  return `${text.slice(0, TEXT_CHARACTERS_MAX).toWellFormed()}\n[the rest was cut off]`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, DESCRIPTION_CHARACTERS_MAX).toWellFormed();
}
