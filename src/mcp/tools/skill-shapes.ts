import { z } from 'zod';
import type { SkillSummary } from '../../skills/index.ts';

/** Arguments that several tools share. */
export const Skill = z.string().min(1).describe('The name of the skill, or its id');

export const which = {
  skill: Skill,
  version: z.int32().min(1).optional().describe('A version number; without it and without alias, the newest'),
  alias: z.string().optional().describe('An alias such as production, instead of a version number'),
};

export const SharingScope = z
  .enum(['private', 'workspace'])
  .describe('private: only its owner sees it; workspace: every user of the workspace does');

export const summaryFields = {
  id: z.string(),
  name: z.string(),
  description: z.string(),
  version: z.int(),
  latestVersion: z.int(),
  aliases: z.array(z.string()),
  sharingScope: SharingScope,
  updatedAt: z.string(),
};

export const fileFields = {
  path: z.string(),
  sha256: z.string(),
  bytes: z.int(),
  isExecutable: z.boolean(),
};

/** A skill with the field names of the public API. */
export function summarise(skill: SkillSummary) {
  const { id, name, description, version, latestVersion, aliases, sharing, updatedAt } = skill;
  return { id, name, description, version, latestVersion, aliases, sharingScope: sharing, updatedAt };
}
