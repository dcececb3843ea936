import { type AnyRoute, route } from '../kit/http/index.ts';
import { sendWithHeaders, UpdateVersionRequest } from '../registry/index.ts';
import {
  CreateSkillRequest,
  CreateSkillVersionRequest,
  CreateSkillVersionResponse,
  DeleteSkillResponse,
  ListSkillAliasMovesResponse,
  ListSkillsQuery,
  ListSkillsResponse,
  ListSkillVersionsResponse,
  Skill,
  SkillIntake,
  SkillParams,
  SkillQuery,
  SkillVersionParams,
  SkillVersionQuery,
  UpdateSkillRequest,
} from './schema/skills.ts';
import type { SkillService } from './service/skill-service.ts';

/** Enough for 8 MiB of files in base64, or as text with every other character escaped. */
const BODY_BYTES_MAX = 24 * 1024 * 1024;

export function skillRoutes(skills: SkillService): AnyRoute[] {
  const read = { tags: ['beta.skills'], permission: 'skills:read' };
  const write = { tags: ['beta.skills'], permission: 'skills:write' };
  return [
    route({
      ...read,
      method: 'GET',
      path: '/v2/skills',
      operationId: 'skills_list',
      summary:
        'List the skills that this key may see, each at its newest version or at the one an alias names; without files',
      query: ListSkillsQuery,
      response: ListSkillsResponse,
      handler: ({ scope, query }) => skills.list(scope, query),
    }),
    route({
      ...write,
      method: 'POST',
      path: '/v2/skills',
      operationId: 'skills_create',
      summary: 'Create a skill; its definition becomes version 1',
      creates: true,
      bodyBytesMax: BODY_BYTES_MAX,
      body: CreateSkillRequest,
      response: Skill,
      handler: async (context) => sendWithHeaders(context, await skills.create(context.scope, context.body)),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v2/skills/:skill_id',
      operationId: 'skills_get',
      summary: 'Read a skill by id or name: its newest version, or the one a number or an alias names',
      params: SkillParams,
      query: SkillQuery,
      response: Skill,
      handler: ({ scope, params, query }) => skills.get(scope, params.skill_id, query),
    }),
    route({
      ...write,
      method: 'PATCH',
      path: '/v2/skills/:skill_id',
      operationId: 'skills_update',
      summary: 'Change the sharing scope of a skill; creates no version',
      params: SkillParams,
      body: UpdateSkillRequest,
      response: Skill,
      handler: ({ scope, params, body, ifMatch }) => skills.update(scope, params.skill_id, body, ifMatch),
    }),
    route({
      ...write,
      method: 'DELETE',
      path: '/v2/skills/:skill_id',
      operationId: 'skills_delete',
      summary: 'Delete a skill with all its versions',
      params: SkillParams,
      response: DeleteSkillResponse,
      handler: ({ scope, params, ifMatch }) => skills.remove(scope, params.skill_id, ifMatch),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v2/skills/:skill_id/versions',
      operationId: 'skills_list_versions',
      summary: 'List all versions of a skill, newest first; without files',
      params: SkillParams,
      response: ListSkillVersionsResponse,
      handler: ({ scope, params }) => skills.listVersions(scope, params.skill_id),
    }),
    route({
      ...write,
      method: 'POST',
      path: '/v2/skills/:skill_id/versions',
      operationId: 'skills_create_version',
      summary: 'Create a version; a definition equal to an existing version keeps that number',
      creates: true,
      bodyBytesMax: BODY_BYTES_MAX,
      params: SkillParams,
      body: CreateSkillVersionRequest,
      response: CreateSkillVersionResponse,
      handler: async (context) => {
        const { scope, params, body, ifMatch } = context;
        return sendWithHeaders(context, await skills.createVersion(scope, params.skill_id, body, ifMatch));
      },
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v2/skills/:skill_id/versions/:version',
      operationId: 'skills_get_version',
      summary: 'Read a skill at one of its versions',
      params: SkillVersionParams,
      query: SkillVersionQuery,
      response: Skill,
      handler: ({ scope, params: { skill_id, version }, query: { fields } }) =>
        skills.get(scope, skill_id, { version, fields }),
    }),
    route({
      ...write,
      method: 'PATCH',
      path: '/v2/skills/:skill_id/versions/:version',
      operationId: 'skills_update_version_metadata',
      summary: 'Change the notes or the aliases of a version; its definition stays',
      params: SkillVersionParams,
      body: UpdateVersionRequest,
      response: Skill,
      handler: ({ scope, params: { skill_id, version }, body, ifMatch }) =>
        skills.updateVersion(scope, skill_id, version, body, ifMatch),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v2/skills/:skill_id/alias_moves',
      operationId: 'skills_list_alias_moves',
      summary:
        'List how the aliases of a skill moved, newest first; at most 1,000 moves. Not part of the published API',
      params: SkillParams,
      response: ListSkillAliasMovesResponse,
      handler: ({ scope, params }) => skills.listAliasMoves(scope, params.skill_id),
    }),
    route({
      ...read,
      method: 'GET',
      path: '/v1/skill-intake',
      operationId: 'skill_intake_get',
      summary:
        'Read whether this workspace accepts skills with findings of the intake scan. Not part of the published API',
      response: SkillIntake,
      handler: ({ scope }) => skills.intake.get(scope),
    }),
    route({
      tags: ['beta.skills'],
      permission: 'skills:administer',
      method: 'PUT',
      path: '/v1/skill-intake',
      operationId: 'skill_intake_set',
      summary:
        'Set whether skills with findings of the intake scan are reported or refused. Not part of the published API',
      body: SkillIntake,
      response: SkillIntake,
      handler: ({ scope, body }) => skills.intake.set(scope, body),
    }),
  ];
}
