import { z } from 'zod';
import { queryBool } from '../../kit/http/index.ts';
import {
  Description,
  IdText,
  NAME_LENGTH_MAX,
  Name,
  PageQuery,
  pageOf,
  Search,
  Slug,
  storable,
  times,
} from './common.ts';

const SELECTORS_MAX = 10;
const DEFINITIONS_MAX = 20;
const PROMPT_LENGTH_MAX = 20_000;
const PATTERNS_MAX = 50;
const REGEX_LENGTH_MAX = 1000;
const LABELS_MAX = 50;
const ATTRIBUTES_MAX = 20;

const text = storable(NAME_LENGTH_MAX);
const kindNames = ['detection', 'moderation', 'judge', 'export'] as const;
export type PipelineKind = (typeof kindNames)[number];
/** Both SDKs' names of the kinds. */
const PipelineKindName = z
  .enum([...kindNames, 'detection-v1', 'moderation-v1', 'judge-v1', 'export-v1'])
  .meta({ id: 'PipelineKind' });
export const kindOf = (name: string): PipelineKind => name.replace(/-v1$/, '') as PipelineKind;

export const Selector = z
  .strictObject({
    source_kind: z.enum(['span', 'log', 'metric']).meta({ id: 'SourceKind' }),
    filter: storable(4096)
      .nullable()
      .optional()
      .describe("A search expression over spans, such as `request_model = 'small'`"),
  })
  .meta({ id: 'PipelineConfigSelector' });
export type Selector = z.output<typeof Selector>;
const Selectors = z.array(Selector).min(1).max(SELECTORS_MAX);

const percentage = z.number().min(0).max(100);
export const Sampling = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('probabilistic'), percentage }).meta({ id: 'ProbabilisticSampling' }),
    z
      .strictObject({ type: z.literal('attribute_hash'), attribute: text, percentage })
      .meta({ id: 'AttributeHashSampling' }),
  ])
  .meta({ id: 'PipelineConfigSampling' });
export type Sampling = z.output<typeof Sampling>;

const mapping = z.record(text, text).check(({ value, issues }) => {
  if (Object.keys(value).length > ATTRIBUTES_MAX)
    issues.push({ code: 'custom', input: value, message: `At most ${ATTRIBUTES_MAX} attributes` });
});

export const JudgeReference = z
  .strictObject({
    slug: IdText.min(1).describe('Id or name of a judge'),
    mapping: mapping.optional().describe('Name → attribute of the span: what the judge sees beside the messages'),
    sampling: Sampling.nullable().optional(),
  })
  .meta({ id: 'LlmJudgeReference' });
export type JudgeReference = z.output<typeof JudgeReference>;

export const CreatePipelineRequest = z
  .strictObject({
    name: Name,
    description: Description.optional(),
    selectors: Selectors,
    definitions: z.array(JudgeReference).min(1).max(DEFINITIONS_MAX),
    enabled: z.boolean().default(true),
  })
  .meta({ id: 'CreatePipelineRequest' });
export type CreatePipelineRequest = z.output<typeof CreatePipelineRequest>;

export const UpdatePipelineRequest = z
  .strictObject({
    name: Name.optional(),
    description: Description.optional(),
    selectors: Selectors.optional(),
    definitions: z.array(JudgeReference).min(1).max(DEFINITIONS_MAX).optional(),
    enabled: z.boolean().optional(),
  })
  .meta({ id: 'UpdatePipelineRequest' });
export type UpdatePipelineRequest = z.output<typeof UpdatePipelineRequest>;

const ResultSpec = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('boolean') }).meta({ id: 'EvaluationBooleanResultSpec' }),
  z
    .strictObject({ type: z.literal('categorical'), labels: z.array(text.min(1)).min(2).max(LABELS_MAX) })
    .meta({ id: 'EvaluationCategoricalResultSpec' }),
  z
    .strictObject({ type: z.literal('numeric'), min: z.number(), max: z.number() })
    .refine(({ min, max }) => min < max, { message: '`min` must be less than `max`' })
    .meta({ id: 'EvaluationNumericResultSpec' }),
]);
const optional = <T extends z.ZodType>(schema: T) => schema.nullable().optional();

const JudgeDefinition = z
  .strictObject({
    model: text.min(1),
    prompt: storable(PROMPT_LENGTH_MAX).min(1),
    result_spec: ResultSpec.default({ type: 'numeric', min: 0, max: 1 }),
    temperature: optional(z.number().min(0).max(2)),
    top_p: optional(z.number().min(0).max(1)),
    max_tokens: optional(z.int().min(1)),
    random_seed: optional(z.int().min(0)),
    mapping: mapping.optional(),
    use_cache: z.boolean().optional(),
  })
  .meta({ id: 'JudgeDefinitionV1' });
const attributes = z.array(text).max(ATTRIBUTES_MAX);
const DetectionDefinition = z
  .strictObject({
    target_attributes: attributes.min(1),
    patterns: z
      .array(
        z
          .strictObject({ name: text, regex: storable(REGEX_LENGTH_MAX).min(1), category: text, confidence: text })
          .meta({ id: 'DetectionPattern' }),
      )
      .min(1)
      .max(PATTERNS_MAX),
  })
  .meta({ id: 'DetectionDefinitionV1' });
const ModerationDefinition = z
  .strictObject({ model: text.min(1).default('mistral-moderation-latest'), target_attributes: attributes.optional() })
  .meta({ id: 'ModerationDefinitionV1' });
const ExportDefinition = z
  .strictObject({
    destination: z
      .strictObject({
        protocol: text,
        endpoint: storable(2000),
        insecure: z.boolean().optional(),
        headers: z
          .record(text, z.strictObject({ value: optional(storable(8192)) }).meta({ id: 'PipelineConfigHeader' }))
          .optional(),
      })
      .meta({ id: 'OTLPDestination' }),
  })
  .meta({ id: 'ExportDefinitionV1' });
export type JudgeDefinitionV1 = z.output<typeof JudgeDefinition>;
export type DetectionDefinitionV1 = z.output<typeof DetectionDefinition>;
export type ModerationDefinitionV1 = z.output<typeof ModerationDefinition>;

/** Which one it must be depends on the kind: `definitions.ts` checks it. */
export const Definition = z.union([ExportDefinition, DetectionDefinition, JudgeDefinition, ModerationDefinition]);
export type Definition = z.output<typeof Definition>;
export const definitionsByKind = {
  judge: JudgeDefinition,
  detection: DetectionDefinition,
  moderation: ModerationDefinition,
  export: ExportDefinition,
} as const;

const config = {
  pipeline_kind: PipelineKindName,
  description: Description.optional(),
  selectors: Selectors,
  slug: optional(Slug),
  group: optional(text),
  definition: Definition,
  name: Name,
};
export const CreatePipelineConfigRequest = z
  .strictObject({ ...config, enabled: z.boolean().default(true) })
  .meta({ id: 'CreatePipelineConfigRequest' });
export const UpdatePipelineConfigRequest = z
  .strictObject({ ...config, enabled: z.boolean() })
  .meta({ id: 'UpdatePipelineConfigRequest' });
export type PipelineConfigRequest = z.output<typeof CreatePipelineConfigRequest>;

export const PipelineConfigsQuery = PageQuery.extend({
  pipeline_kind: PipelineKindName.nullable().optional(),
  group: text.nullable().optional(),
  enabled: queryBool().nullable().optional(),
  q: Search,
});
export type PipelineConfigsQuery = z.output<typeof PipelineConfigsQuery>;
export const PipelinesQuery = PageQuery.extend({ enabled: queryBool().nullable().optional(), q: Search });
export type PipelinesQuery = z.output<typeof PipelinesQuery>;
export const PipelineParams = z.strictObject({ pipeline_id: IdText });
export const PipelineConfigParams = z.strictObject({ pipeline_config_id: IdText });

export const PipelineConfig = z
  .object({
    id: z.string(),
    ...times,
    scope: z.enum(['workspace', 'shared']).meta({ id: 'PipelineConfigScope' }),
    workspace_id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    slug: z.string(),
    group: z.string().nullable(),
    pipeline_kind: z.string(),
    selectors: z.array(Selector),
    enabled: z.boolean(),
    definition_hash: z.string(),
    definition: Definition,
    sampling: Sampling.nullable(),
    scorer_slug: z.string().nullable(),
    scorer_version: z.int().nullable(),
  })
  .meta({ id: 'PipelineConfig' });
export type PipelineConfig = z.output<typeof PipelineConfig>;
export const PipelineConfigs = z
  .object({ pipeline_configs: pageOf('PaginatedResultPipelineConfig', PipelineConfig) })
  .meta({ id: 'PipelineConfigsResponse' });

export const Pipeline = z
  .object({
    id: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    workspace_id: z.string(),
    name: z.string(),
    slug: z.string(),
    description: z.string().nullable(),
    selectors: z.array(Selector),
    enabled: z.boolean(),
    creator_id: z.string().nullable(),
    pipeline_configs: z.array(PipelineConfig),
  })
  .meta({ id: 'Pipeline' });
export type Pipeline = z.output<typeof Pipeline>;
export const Pipelines = z
  .object({ pipelines: pageOf('PaginatedResultPipeline', Pipeline) })
  .meta({ id: 'PipelinesResponse' });
