import { readSkills } from './read-skills.ts';
import type { AgentRow, Position } from './store.ts';

/** The alias or version that an agent names; neither means the newest version. */
type Selection = { alias?: string; version?: number };

/** What agents may refer to: a skill by its name, or whatever the caller recognizes in the name of a model. */
export type UsedThing = { skill: string } | { model: (model: string) => Selection | undefined };

export type AgentUse = { id: string; name: string; version: number; selected: Selection };

type Ports = {
  /** A page of agents, newest first, starting after the position. */
  listRows(after: Position | undefined): Promise<AgentRow[]>;
  /** The model of the agent's current version. */
  readModel(row: AgentRow): Promise<string>;
};

/** Every agent whose current version refers to the skill or model, newest first. */
export async function findUsers({ listRows, readModel }: Ports, used: UsedThing): Promise<AgentUse[]> {
  const uses: AgentUse[] = [];
  for (let rows = await listRows(undefined); rows.length > 0; rows = await listRows(rows.at(-1))) {
    const selections = await Promise.all(
      rows.map(async (row) =>
        'skill' in used ? selectSkill(row.metadata, used.skill) : used.model(await readModel(row)),
      ),
    );
    for (const [index, { id, name, current_version }] of rows.entries()) {
      const selected = selections[index];
      if (selected) uses.push({ id, name, version: current_version, selected });
    }
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
