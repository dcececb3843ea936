import { agentErrors } from './errors.ts';

const SKILLS_MAX = 32;
/** `name`, `name@3` or `name@alias`. */
const REFERENCE = /^(?<name>[a-z0-9]+(-[a-z0-9]+)*)(@([1-9]\d{0,8}|[a-z]([a-z0-9_-]*[a-z0-9])?))?$/;
const REFERENCE_CHARACTERS_MAX = 129;

/** The skills in the metadata of an agent. Whether they exist is checked when the agent runs. */
export function readSkills(metadata: Record<string, unknown> | null | undefined): string[] {
  const given = metadata?.skills;
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given) || given.length > SKILLS_MAX)
    throw agentErrors.agent_skills_invalid(
      `metadata.skills is a list of at most ${SKILLS_MAX} skills, such as ["summarise@production"].`,
    );
  const names = new Set<string>();
  return given.map((reference: unknown) => {
    const text = typeof reference === 'string' && reference.length <= REFERENCE_CHARACTERS_MAX ? reference : '';
    const name = REFERENCE.exec(text)?.groups?.name;
    if (name === undefined)
      throw agentErrors.agent_skills_invalid(
        'Each of metadata.skills is a name, a name@version or a name@alias, such as "summarise@3".',
      );
    if (names.has(name))
      throw agentErrors.agent_skills_invalid(
        `metadata.skills names '${name}' twice. An agent has one version of a skill.`,
      );
    names.add(name);
    return text;
  });
}
