import { z } from 'zod';
import { type AnyRoute, route } from '../../kit/http/index.ts';
import type { PublicationService } from './service.ts';

const SkillParams = z.strictObject({ skill: z.string() });

const AgentSkillsIndex = z
  .strictObject({
    $schema: z.url(),
    skills: z.array(
      z.strictObject({
        name: z.string(),
        type: z.enum(['skill-md', 'archive']),
        description: z.string(),
        url: z.string(),
        digest: z.string(),
      }),
    ),
  })
  .meta({ id: 'AgentSkillsIndex' });

/** No key is asked for: what is here was published. */
export function publicationRoutes(published: PublicationService): AnyRoute[] {
  const common = { method: 'GET', permission: 'public' } as const;
  return [
    route({
      ...common,
      path: '/.well-known/agent-skills/index.json',
      operationId: 'published_skills_index',
      tags: ['mcp'],
      summary: 'The skills that are published for everybody, each with the digest of its file',
      response: AgentSkillsIndex,
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
