import { z } from 'zod';

export const SkillParams = z.strictObject({ skill: z.string() });

const PublishedSkill = z.strictObject({
  name: z.string(),
  type: z.enum(['skill-md', 'archive']),
  description: z.string(),
  url: z.string(),
  digest: z.string(),
});
export type PublishedSkill = z.infer<typeof PublishedSkill>;

export const AgentSkillsIndex = z
  .strictObject({ $schema: z.url(), skills: z.array(PublishedSkill) })
  .meta({ id: 'AgentSkillsIndex' });
export type AgentSkillsIndex = z.infer<typeof AgentSkillsIndex>;
