import { type AnyRoute, route } from '../../kit/http/index.ts';
import { SkillFindings, SkillParams, SkillUses, SkillVersionParams } from '../schema/skills.ts';
import type { ConsoleService } from '../service/console-service.ts';

export function skillRoutes(service: ConsoleService): AnyRoute[] {
  const common = { surface: 'console', permission: 'skills:read', hidden: true, method: 'GET' } as const;
  return [
    route({
      ...common,
      path: '/console/api/skills/:skill_id/uses',
      operationId: 'console_skill_uses',
      summary: 'The agents that use this skill',
      params: SkillParams,
      response: SkillUses,
      handler: ({ scope, params }) => service.skills.uses(scope, params.skill_id),
    }),
    route({
      ...common,
      path: '/console/api/skills/:skill_id/versions/:version/findings',
      operationId: 'console_skill_findings',
      summary: 'The findings of the intake scan in a version, by the current rules',
      params: SkillVersionParams,
      response: SkillFindings,
      handler: ({ scope, params }) => service.skills.findings(scope, params.skill_id, params.version),
    }),
    route({
      ...common,
      permission: 'skills:write',
      method: 'POST',
      path: '/console/api/skills/:skill_id/versions/:version/findings/reviewed',
      operationId: 'console_skill_findings_review',
      summary: 'Say that you have looked at the findings of a version',
      status: 204,
      params: SkillVersionParams,
      handler: ({ scope, params }) => service.skills.closeFindings(scope, params.skill_id, params.version),
    }),
  ];
}
