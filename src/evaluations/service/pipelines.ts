import { createHash } from 'node:crypto';
import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import { numberedPage, offsetOf, type Scope } from '../../kit/http/index.ts';
import { prepareSchema } from '../../kit/json-schema/index.ts';
import { holderOf } from '../../tenants/index.ts';
import { ExpressionMistake, parseExpression, spanFields } from '../../traces/index.ts';
import { evaluationErrors } from '../errors.ts';
import { findJudge } from '../plan-run.ts';
import type { EvaluationPorts } from '../ports.ts';
import { recordChange } from '../record-change.ts';
import type { JudgeDefinition } from '../schema/evaluators.ts';
import {
  type CreatePipelineRequest,
  type Definition,
  type DetectionDefinitionV1,
  definitionsByKind,
  type JudgeReference,
  kindOf,
  type Pipeline,
  type PipelineConfig,
  type PipelineConfigRequest,
  type PipelineConfigsQuery,
  type PipelinesQuery,
  type Selector,
  type UpdatePipelineRequest,
} from '../schema/pipelines.ts';
import { insertWithSlug } from '../slugs.ts';
import {
  deleteConfig,
  deleteConfigsOf,
  deletePipeline,
  findConfig,
  findPipeline,
  insertConfig,
  insertPipeline,
  listConfigs,
  listConfigsOf,
  listPipelines,
  updateConfig,
  updatePipeline,
} from '../store/pipelines.ts';
import type { ConfigRow, PipelineRow } from '../store/tables.ts';

type Page<T> = ReturnType<typeof numberedPage<T>>;

export type PipelineService = {
  create(scope: Scope, request: CreatePipelineRequest): Promise<Pipeline>;
  list(scope: Scope, query: PipelinesQuery): Promise<Page<Pipeline>>;
  get(scope: Scope, id: string): Promise<Pipeline>;
  update(scope: Scope, id: string, request: UpdatePipelineRequest): Promise<Pipeline>;
  remove(scope: Scope, id: string): Promise<void>;
  createConfig(scope: Scope, request: PipelineConfigRequest): Promise<PipelineConfig>;
  listConfigs(scope: Scope, query: PipelineConfigsQuery): Promise<Page<PipelineConfig>>;
  getConfig(scope: Scope, id: string): Promise<PipelineConfig>;
  updateConfig(scope: Scope, id: string, request: PipelineConfigRequest): Promise<PipelineConfig>;
  removeConfig(scope: Scope, id: string): Promise<void>;
};

export function createPipelineService(
  ports: Pick<EvaluationPorts, 'database' | 'audit' | 'judges' | 'now'>,
): PipelineService {
  const { database, audit, judges, now } = ports;
  const { db } = database;

  async function find({ workspace_id }: Scope, id: string): Promise<PipelineRow> {
    const row = await findPipeline(db, workspace_id, id);
    if (!row) throw evaluationErrors.pipeline_not_found(id);
    return row;
  }

  async function findOne({ workspace_id }: Scope, id: string): Promise<ConfigRow> {
    const row = await findConfig(db, workspace_id, id);
    if (!row) throw evaluationErrors.pipeline_config_not_found(id);
    return row;
  }

  function configRow(
    scope: Scope,
    own: Pick<ConfigRow, 'name' | 'slug' | 'kind' | 'selectors' | 'enabled' | 'definition'>,
  ): ConfigRow {
    const { workspace_id, organization_id } = scope;
    const created_at = isoMicros(now);
    return {
      id: uuidv7(now()),
      pipeline_id: null,
      ...{ workspace_id, organization_id, holder: holderOf(scope), description: null, group_name: null },
      ...own,
      definition_hash: hashOf(own.definition),
      ...{ sampling: null, scorer_slug: null },
      // What came before is not judged.
      scanned_to_ms: now(),
      ...{ created_at, updated_at: created_at },
    };
  }

  /** A copy of each judge, as it is now. */
  async function toConfigs(scope: Scope, pipeline: PipelineRow, definitions: readonly JudgeReference[]) {
    const rows: ConfigRow[] = [];
    for (const { slug, mapping, sampling = null } of definitions) {
      const judge = await findJudge(judges, scope, slug);
      const own = configRow(scope, {
        name: judge.name,
        slug: `${pipeline.slug}-${rows.length + 1}`,
        kind: 'judge',
        selectors: pipeline.selectors,
        enabled: pipeline.enabled,
        definition: toDefinition(judge, mapping),
      });
      rows.push({ ...own, pipeline_id: pipeline.id, sampling, scorer_slug: slug });
    }
    return rows;
  }

  async function render(rows: PipelineRow[]): Promise<Pipeline[]> {
    const configs = await listConfigsOf(
      db,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => ({
      ...row,
      pipeline_configs: configs.filter(({ pipeline_id }) => pipeline_id === row.id).map((one) => toConfig(one, '-v1')),
    }));
  }

  return {
    create(scope, { name, description = null, selectors, definitions, enabled }) {
      checkSelectors(selectors);
      return insertWithSlug({ name, slug: undefined, fallback: 'pipeline' }, async (slug) => {
        const at = isoMicros(now);
        const { workspace_id, user_id } = scope;
        const own = { name, slug, description, selectors, enabled, created_at: at, updated_at: at };
        const row = { id: uuidv7(now()), workspace_id, creator_id: user_id, ...own };
        const configs = await toConfigs(scope, row, definitions);
        await database.transaction(async (tx) => {
          await insertPipeline(tx, row);
          for (const config of configs) await insertConfig(tx, config);
          await recordChange(audit, tx, scope, 'pipeline.create', 'PIPELINE', row.id);
        });
        return { ...row, pipeline_configs: configs.map((one) => toConfig(one, '-v1')) };
      });
    },
    async list({ workspace_id }, query) {
      const { rows, count } = await listPipelines(database, workspace_id, query, offsetOf(query));
      return numberedPage('/v1/observability/pipelines', query, await render(rows), count);
    },
    get: async (scope, id) => (await render([await find(scope, id)]))[0] as Pipeline,
    async update(scope, id, { definitions, ...change }) {
      const old = await find(scope, id);
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
      const row: PipelineRow = { ...old, ...given, updated_at: isoMicros(now) };
      checkSelectors(row.selectors);
      const configs = definitions && (await toConfigs(scope, row, definitions));
      const kept = await listConfigsOf(db, [id]);
      await database.transaction(async (tx) => {
        await updatePipeline(tx, row);
        if (configs) await deleteConfigsOf(tx, id);
        for (const config of configs ?? []) await insertConfig(tx, config);
        const { selectors, enabled, updated_at } = row;
        for (const config of configs ? [] : kept) await updateConfig(tx, { ...config, selectors, enabled, updated_at });
        await recordChange(audit, tx, scope, 'pipeline.update', 'PIPELINE', id);
      });
      return (await render([row]))[0] as Pipeline;
    },
    async remove(scope, id) {
      await find(scope, id);
      await database.transaction(async (tx) => {
        await deletePipeline(tx, id);
        await recordChange(audit, tx, scope, 'pipeline.delete', 'PIPELINE', id);
      });
    },
    createConfig(scope, request) {
      const checked = check(request);
      return insertWithSlug({ name: request.name, slug: request.slug, fallback: 'pipeline' }, async (slug) => {
        const { name, selectors, enabled, description = null, group = null } = request;
        const row = {
          ...configRow(scope, { name, slug, selectors, enabled, ...checked }),
          description,
          group_name: group,
        };
        await database.transaction(async (tx) => {
          await insertConfig(tx, row);
          await recordChange(audit, tx, scope, 'pipeline.create', 'PIPELINE', row.id);
        });
        return toConfig(row);
      });
    },
    async listConfigs({ workspace_id }, query) {
      const { rows, count } = await listConfigs(database, workspace_id, query, offsetOf(query));
      const path = '/v1/observability/pipeline-configs';
      return numberedPage(
        path,
        query,
        rows.map((row) => toConfig(row)),
        count,
      );
    },
    getConfig: async (scope, id) => toConfig(await findOne(scope, id)),
    async updateConfig(scope, id, request) {
      const old = await findOne(scope, id);
      const checked = check(request);
      const { name, selectors, enabled, description = null, group: group_name = null } = request;
      return insertWithSlug({ name, slug: request.slug ?? old.slug, fallback: 'pipeline' }, async (slug) => {
        const change = { name, slug, selectors, enabled, description, group_name, updated_at: isoMicros(now) };
        const row = { ...old, ...change, ...checked, definition_hash: hashOf(checked.definition) };
        await database.transaction(async (tx) => {
          await updateConfig(tx, row);
          await recordChange(audit, tx, scope, 'pipeline.update', 'PIPELINE', id);
        });
        return toConfig(row);
      });
    },
    async removeConfig(scope, id) {
      await findOne(scope, id);
      await database.transaction(async (tx) => {
        await deleteConfig(tx, id);
        await recordChange(audit, tx, scope, 'pipeline.delete', 'PIPELINE', id);
      });
    },
  };
}

const invalid = (loc: (string | number)[], message: string, input?: unknown) =>
  evaluationErrors.pipeline_invalid(['body', ...loc], message, input);

function checkSelectors(selectors: readonly Selector[]): void {
  for (const [i, { source_kind, filter }] of selectors.entries()) {
    if (source_kind !== 'span')
      throw invalid(['selectors', i, 'source_kind'], 'Only spans can be judged here: use `span`.', source_kind);
    try {
      parseExpression(filter ?? '', spanFields);
    } catch (error) {
      if (!(error instanceof ExpressionMistake)) throw error;
      throw invalid(['selectors', i, 'filter'], `In the filter ${error.message}.`, filter);
    }
  }
}

function check({
  pipeline_kind,
  selectors,
  definition,
}: PipelineConfigRequest): Pick<ConfigRow, 'kind' | 'definition'> {
  checkSelectors(selectors);
  const kind = kindOf(pipeline_kind);
  if (kind === 'export')
    throw invalid(
      ['pipeline_kind'],
      'Spans are exported by the operator, who sets OTEL_EXPORTER_OTLP_ENDPOINT; a pipeline cannot.',
      pipeline_kind,
    );
  const read = definitionsByKind[kind].safeParse(definition);
  if (!read.success) throw invalid(['definition'], `The definition is not one of the kind '${kind}'.`);
  if (kind === 'detection')
    for (const [i, { regex }] of (read.data as DetectionDefinitionV1).patterns.entries())
      if (typeof prepareSchema({ type: 'string', pattern: regex }) === 'string')
        throw invalid(
          ['definition', 'patterns', i, 'regex'],
          'The expression cannot be used: it is wrong or too costly.',
        );
  return { kind, definition: read.data };
}

const hashOf = (definition: Definition): string =>
  createHash('sha256').update(JSON.stringify(definition)).digest('hex');

function toDefinition(
  { model_name, instructions, output }: JudgeDefinition,
  mapping: JudgeReference['mapping'],
): Definition {
  return {
    model: model_name,
    prompt: instructions,
    result_spec:
      output.type === 'REGRESSION'
        ? { type: 'numeric', min: output.min, max: output.max }
        : { type: 'categorical', labels: output.options.map(({ value }) => value) },
    ...(mapping && { mapping }),
  };
}

/** The two SDKs have other names for the same kinds. */
function toConfig(row: ConfigRow, suffix = ''): PipelineConfig {
  const { id, created_at, updated_at, workspace_id, name, description, slug, selectors, enabled, definition } = row;
  return {
    ...{ id, created_at, updated_at, deleted_at: null, scope: 'workspace', workspace_id, name, description, slug },
    group: row.group_name,
    pipeline_kind: `${row.kind}${suffix}`,
    ...{ selectors, enabled, definition_hash: row.definition_hash, definition, sampling: row.sampling },
    scorer_slug: row.scorer_slug,
    scorer_version: row.scorer_slug === null ? null : 1,
  };
}
