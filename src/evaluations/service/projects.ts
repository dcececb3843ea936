import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import { numberedPage, offsetOf, type Scope } from '../../kit/http/index.ts';
import { evaluationErrors } from '../errors.ts';
import type { EvaluationPorts } from '../ports.ts';
import { recordChange } from '../record-change.ts';
import type { PageQuery } from '../schema/common.ts';
import type {
  CreateEvaluationRequest,
  CreateProjectRequest,
  Evaluation,
  Project,
  ProjectsQuery,
} from '../schema/projects.ts';
import { insertWithSlug } from '../slugs.ts';
import {
  deleteEvaluation,
  deleteProject,
  findEvaluation,
  findProject,
  hasEvaluations,
  insertEvaluation,
  insertProject,
  listEvaluations,
  listProjects,
  listSummaries,
  type Summary,
} from '../store/projects.ts';
import { hasRuns } from '../store/runs.ts';
import type { EvaluationRow, ProjectRow } from '../store/tables.ts';

type Ports = Pick<EvaluationPorts, 'database' | 'audit' | 'now'>;
type Page<T> = ReturnType<typeof numberedPage<T>>;

export type ProjectService = {
  create(scope: Scope, request: CreateProjectRequest): Promise<Project>;
  list(scope: Scope, query: ProjectsQuery): Promise<Page<Project>>;
  get(scope: Scope, slug: string): Promise<Project>;
  remove(scope: Scope, slug: string): Promise<void>;
  createEvaluation(scope: Scope, projectSlug: string, request: CreateEvaluationRequest): Promise<Evaluation>;
  listEvaluations(scope: Scope, projectSlug: string, query: PageQuery): Promise<Page<Evaluation>>;
  getEvaluation(scope: Scope, slug: string): Promise<Evaluation>;
  removeEvaluation(scope: Scope, slug: string): Promise<void>;
};

const PATH = '/v1/observability/projects';

export function createProjectService({ database, audit, now }: Ports): ProjectService {
  const { db } = database;

  async function find({ workspace_id }: Scope, slug: string): Promise<ProjectRow> {
    const row = await findProject(db, workspace_id, slug);
    if (!row) throw evaluationErrors.project_not_found(slug);
    return row;
  }

  async function findOne({ workspace_id }: Scope, slug: string): Promise<EvaluationRow> {
    const row = await findEvaluation(db, workspace_id, slug);
    if (!row) throw evaluationErrors.evaluation_not_found(slug);
    return row;
  }

  async function toProjects(rows: ProjectRow[]): Promise<Project[]> {
    const summaries = await listSummaries(
      db,
      rows.map(({ id }) => id),
    );
    const of = (project: string): Summary[] =>
      summaries.flatMap(({ project_id, ...summary }) => (project_id === project ? [summary] : []));
    return rows.map((row) => ({ ...row, deleted_at: null, is_favorite: false, evaluations: of(row.id) }));
  }

  const common = ({ workspace_id, user_id }: Scope) => {
    const created_at = isoMicros(now);
    return { id: uuidv7(now()), workspace_id, creator_id: user_id, created_at, updated_at: created_at };
  };

  return {
    create(scope, { name, slug, description = null }) {
      return insertWithSlug({ name, slug, fallback: 'project' }, async (free) => {
        const row = { ...common(scope), name, slug: free, description };
        await database.transaction(async (tx) => {
          await insertProject(tx, row);
          await recordChange(audit, tx, scope, 'evaluation.project.create', 'EVALUATION_PROJECT', row.id);
        });
        return { ...row, deleted_at: null, is_favorite: false, evaluations: [] };
      });
    },
    async list({ workspace_id }, query) {
      const { rows, count } = await listProjects(database, workspace_id, query.q, offsetOf(query));
      return numberedPage(PATH, query, await toProjects(rows), count);
    },
    async get(scope, slug) {
      const [project] = await toProjects([await find(scope, slug)]);
      return project as Project;
    },
    async remove(scope, slug) {
      const { id } = await find(scope, slug);
      await database.transaction(async (tx) => {
        if (await hasEvaluations(tx, id)) throw evaluationErrors.evaluation_in_use('evaluations');
        await deleteProject(tx, id);
        await recordChange(audit, tx, scope, 'evaluation.project.delete', 'EVALUATION_PROJECT', id);
      });
    },
    async createEvaluation(scope, projectSlug, { name, slug, description = null, tags, metadata }) {
      const project = await find(scope, projectSlug);
      return insertWithSlug({ name, slug, fallback: 'evaluation' }, async (free) => {
        const row = { ...common(scope), project_id: project.id, name, slug: free, description, tags, metadata };
        await database.transaction(async (tx) => {
          await insertEvaluation(tx, row);
          await recordChange(audit, tx, scope, 'evaluation.create', 'EVALUATION', row.id);
        });
        return toEvaluation(row);
      });
    },
    async listEvaluations(scope, projectSlug, query) {
      const { id, slug } = await find(scope, projectSlug);
      const { rows, count } = await listEvaluations(db, id, offsetOf(query));
      return numberedPage(`${PATH}/${slug}/evaluations_v2`, query, rows.map(toEvaluation), count);
    },
    getEvaluation: async (scope, slug) => toEvaluation(await findOne(scope, slug)),
    async removeEvaluation(scope, slug) {
      const { id } = await findOne(scope, slug);
      await database.transaction(async (tx) => {
        if (await hasRuns(tx, id)) throw evaluationErrors.evaluation_in_use('runs');
        await deleteEvaluation(tx, id);
        await recordChange(audit, tx, scope, 'evaluation.delete', 'EVALUATION', id);
      });
    },
  };
}

function toEvaluation({ metadata, ...row }: EvaluationRow): Evaluation {
  return { ...row, metadata_: metadata, deleted_at: null, is_favorite: false };
}
