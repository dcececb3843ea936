import { readSkills } from './read-skills.ts';
import type { AgentRow } from './store.ts';

/** The alias or version that an agent names; neither means the newest version. */
type Selection = { alias?: string; version?: number };

/** What agents may refer to: a skill by its name, or whatever the caller recognizes in the name of a model. */
export type UsedThing = { skill: string } | { model: (model: string) => Selection | undefined };

export type AgentUse = { id: string; name: string; version: number; selected: Selection };

type Ports = {
  /** All agents, newest first, in groups. */
  rows: AsyncIterable<AgentRow[]>;
  /** The model of the agent's current version. */
  readModel(row: AgentRow): Promise<string>;
};

/** Every agent whose current version refers to the skill or model, newest first. */
export async function findUsers({ rows, readModel }: Ports, used: UsedThing): Promise<AgentUse[]> {
  const uses: AgentUse[] = [];
  for await (const group of rows)
    for (const row of group) {
      // One after another: a definition may be large.
      const selected = 'skill' in used ? selectSkill(row.metadata, used.skill) : used.model(await readModel(row));
      if (selected) uses.push({ id: row.id, name: row.name, version: row.current_version, selected });
    }
  return uses;
}

/** Skills are named in the metadata as `name`, `name@3` or `name@alias`. */
function selectSkill(metadata: AgentRow['metadata'], skill: string): Selection | undefined {
  const [name, selector] =
    readSkills(metadata)
      .map((text) => text.split('@'))
      .find(([name]) => name === skill) ?? [];
  if (name === undefined) return undefined;
  if (selector === undefined) return {};
  return /^\d/.test(selector) ? { version: Number(selector) } : { alias: selector };
}
