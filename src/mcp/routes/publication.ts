import { type AnyRoute, route } from '../../kit/http/index.ts';
import { AgentSkillsIndex, SkillParams } from '../schema/publication.ts';
import type { PublicationService } from '../service/publication.ts';

/** Published skills need no key. */
export function publicationRoutes(published: PublicationService): AnyRoute[] {
  const common = { method: 'GET', permission: 'public' } as const;
  return [
    route({
      ...common,
      path: '/.well-known/agent-skills/index.json',
      operationId: 'published_skills_index',
      tags: ['mcp'],
      summary: 'The published skills, each with the digest of its file',
      response: AgentSkillsIndex,
      alsoAnswers: [404],
      handler: () => published.index(),
    }),
    route({
      ...common,
      path: '/.well-known/agent-skills/:skill/SKILL.md',
      operationId: 'published_skills_manifest',
      tags: ['mcp'],
      summary: 'The instructions of a published skill',
      params: SkillParams,
      handler: ({ params }) => published.manifest(params.skill),
    }),
    route({
      ...common,
      path: '/.well-known/agent-skills/:skill/skill.zip',
      operationId: 'published_skills_archive',
      tags: ['mcp'],
      summary: 'A published skill with all its files',
      params: SkillParams,
      handler: ({ params }) => published.archive(params.skill),
    }),
  ];
}
