import { type AnyRoute, route } from '../kit/http/index.ts';
import { objectRoutes } from '../registry/index.ts';
import { SkillIntake, skillSchemas } from './schema/skills.ts';
import type { SkillService } from './service/skill-service.ts';

/** Enough for 8 MiB of files in base64, or as text with every other character escaped. */
const BODY_BYTES_MAX = 24 * 1024 * 1024;

export function skillRoutes(skills: SkillService): AnyRoute[] {
  const intake = { tags: ['beta.skills'], path: '/v1/skill-intake', response: SkillIntake };
  return [
    ...objectRoutes(skills, skillSchemas, {
      noun: 'skill',
      updates: 'the sharing scope of a skill',
      listed: '; without files',
      bodyBytesMax: BODY_BYTES_MAX,
    }),
    route({
      ...intake,
      permission: 'skills:read',
      method: 'GET',
      operationId: 'skill_intake_get',
      summary:
        'Read whether this workspace accepts skills with findings of the intake scan. Not part of the published API',
      handler: ({ scope }) => skills.intake.get(scope),
    }),
    route({
      ...intake,
      permission: 'skills:administer',
      method: 'PUT',
      operationId: 'skill_intake_set',
      summary:
        'Set whether skills with findings of the intake scan are reported or refused. Not part of the published API',
      body: SkillIntake,
      handler: ({ scope, body }) => skills.intake.set(scope, body),
    }),
  ];
}
