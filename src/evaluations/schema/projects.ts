import { z } from 'zod';
import {
  anyObject,
  Description,
  IdText,
  Metadata,
  Name,
  PageQuery,
  pageOf,
  Reference,
  Search,
  Slug,
  Tags,
  times,
} from './common.ts';

export const ProjectsQuery = PageQuery.extend({ q: Search });
export type ProjectsQuery = z.output<typeof ProjectsQuery>;
export const ProjectParams = z.strictObject({ project_slug: IdText });
export const EvaluationParams = z.strictObject({ evaluation_slug: IdText });

const slug = Slug.optional().describe('Made from the name, unless it is given');

export const CreateProjectRequest = z
  .strictObject({ name: Name, slug, description: Description.optional() })
  .meta({ id: 'CreateProjectRequest' });
export type CreateProjectRequest = z.output<typeof CreateProjectRequest>;

export const CreateEvaluationRequest = z
  .strictObject({
    name: Name,
    slug,
    description: Description.optional(),
    tags: Tags.default([]),
    metadata: Metadata.default({}),
  })
  .meta({ id: 'CreateEvaluationRequest' });
export type CreateEvaluationRequest = z.output<typeof CreateEvaluationRequest>;

export const Project = z
  .object({
    id: z.string(),
    ...times,
    workspace_id: z.string(),
    creator_id: z.string(),
    name: z.string(),
    slug: z.string(),
    description: z.string().nullable(),
    is_favorite: z.boolean(),
    evaluations: z.array(Reference.meta({ id: 'ProjectEvaluationSummary' })),
  })
  .meta({ id: 'Project' });
export type Project = z.output<typeof Project>;
export const Projects = z.object({ projects: pageOf('PaginatedResultProject', Project) }).meta({ id: 'Projects' });

export const Evaluation = z
  .object({
    id: z.string(),
    ...times,
    workspace_id: z.string(),
    creator_id: z.string(),
    project_id: z.string(),
    name: z.string(),
    slug: z.string(),
    description: z.string().nullable(),
    tags: z.array(z.string()),
    metadata_: anyObject,
    is_favorite: z.boolean(),
  })
  .meta({ id: 'EvaluationV2' });
export type Evaluation = z.output<typeof Evaluation>;
export const Evaluations = z
  .object({ evaluations: pageOf('PaginatedResultEvaluationV2', Evaluation) })
  .meta({ id: 'EvaluationsV2' });
