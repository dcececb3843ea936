import { queryOptions } from '@tanstack/react-query';
import type { SkillFindings } from '../../../../src/console/schema/skills.ts';
import type { Skill, SkillDefinition, SkillIntake } from '../../../../src/skills/schema/skills.ts';
import { api } from '../../api/api.ts';
import { addressOf, type Registry, type Version } from '../../registry/queries.ts';
import { folderOf } from './folder.ts';

export const skills: Registry = { path: '/v2/skills', noun: 'skill' };

export type SkillVersion = Version<SkillDefinition>;

/** A version with its files, which lists omit. */
export const folderQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: [skills.path, 'one', id, 'folder', version],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const { definition = {} } = await api.get<Skill>(`${addressOf(skills, id)}/versions/${version}`, { signal });
      return folderOf(definition);
    },
  });

export const findingsQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: [skills.path, 'one', id, 'findings', version],
    queryFn: ({ signal }) =>
      api.get<SkillFindings>(`/console/api/skills/${encodeURIComponent(id)}/versions/${version}/findings`, { signal }),
    select: ({ findings }) => findings,
  });

export const intakeQuery = queryOptions({
  queryKey: ['/v1/skill-intake'],
  queryFn: ({ signal }) => api.get<SkillIntake>('/v1/skill-intake', { signal }),
});
