import { z } from 'zod';
import { VersionNumber } from '../../registry/index.ts';

export const SkillParams = z.strictObject({ skill_id: z.string().min(1).max(255) });
export const SkillVersionParams = z.strictObject({ ...SkillParams.shape, version: VersionNumber });

export const SkillUses = z.object({
  agents: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      version: z.int(),
      alias: z.string().nullable(),
      skill_version: z.int().nullable(),
    }),
  ),
});
export type SkillUses = z.infer<typeof SkillUses>;

/** `file` is `description`, `body`, or `assets/` and a path; `line` counts from 1, and 0 means the whole file. */
export const SkillFindings = z.object({
  findings: z.array(z.object({ rule: z.string(), file: z.string(), line: z.int() })),
});
export type SkillFindings = z.infer<typeof SkillFindings>;
