import { z } from 'zod';
import { numberedPageOf, numberedPageQuery, queryList, queryRepeated } from '../kit/http/index.ts';

const OPTIONS_MAX = 100;
const OPTION_CHARACTERS_MAX = 200;
const DESCRIPTION_CHARACTERS_MAX = 2000;
const TOOLS_MAX = 64;
const MESSAGES_MAX = 5000;
const FILTERS_MAX = 100;
const NAME_CHARACTERS_MAX = 500;
/** In the published API. */
const REGRESSION_MAX = 1_000_000_000;

/** PostgreSQL cannot store NUL in a text. */
export const storableText = z.string().overwrite((text) => text.replaceAll('\0', '\ufffd'));

export const JudgeOutputType = z.enum(['REGRESSION', 'CLASSIFICATION']).meta({ id: 'JudgeOutputType' });

const JudgeClassificationOutputOption = z
  .strictObject({
    value: storableText.min(1).max(OPTION_CHARACTERS_MAX),
    description: storableText.max(DESCRIPTION_CHARACTERS_MAX),
  })
  .meta({ id: 'JudgeClassificationOutputOption' });

const JudgeClassificationOutput = z
  .strictObject({
    type: z.literal('CLASSIFICATION').default('CLASSIFICATION'),
    options: z.array(JudgeClassificationOutputOption).min(1).max(OPTIONS_MAX),
  })
  .meta({ id: 'JudgeClassificationOutput' });

const JudgeRegressionOutput = z
  .strictObject({
    type: z.literal('REGRESSION').default('REGRESSION'),
    min: z.number().min(0).lt(REGRESSION_MAX).default(0),
    min_description: storableText.max(DESCRIPTION_CHARACTERS_MAX),
    max: z.number().lt(REGRESSION_MAX).default(1),
    max_description: storableText.max(DESCRIPTION_CHARACTERS_MAX),
  })
  .meta({ id: 'JudgeRegressionOutput' });

const output = z.discriminatedUnion('type', [JudgeClassificationOutput, JudgeRegressionOutput]);
export type JudgeOutputSpec = z.output<typeof output>;

const definition = {
  name: storableText.min(5).max(50),
  description: storableText.max(500),
  model_name: storableText.min(1).max(NAME_CHARACTERS_MAX),
  output,
  instructions: storableText.max(10_000),
  tools: z.array(storableText.max(NAME_CHARACTERS_MAX)).max(TOOLS_MAX),
};

export const CreateJudgeRequest = z.strictObject(definition).meta({ id: 'CreateJudgeRequest' });
export type CreateJudgeRequest = z.infer<typeof CreateJudgeRequest>;

export const UpdateJudgeRequest = z.strictObject(definition).meta({ id: 'UpdateJudgeRequest' });

const revision = z.uuid().nullable().optional();

export const Judge = z
  .object({
    id: z.uuid(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    deleted_at: z.iso.datetime().nullable(),
    owner_id: z.uuid(),
    workspace_id: z.uuid(),
    name: z.string(),
    description: z.string(),
    model_name: z.string(),
    output,
    instructions: z.string(),
    tools: z.array(z.string()),
    up_revision: revision,
    down_revision: revision,
    base_revision: revision,
  })
  .meta({ id: 'Judge' });
export type Judge = z.infer<typeof Judge>;

export const ListJudgesResponse = z
  .object({ judges: numberedPageOf('PaginatedResultJudgePreview', Judge) })
  .meta({ id: 'ListJudgesResponse' });
export type ListJudgesResponse = z.infer<typeof ListJudgesResponse>;

export const JudgesQuery = z.strictObject({
  type_filter: queryList(JudgeOutputType).max(FILTERS_MAX).nullable().optional(),
  model_filter: queryRepeated(storableText).max(FILTERS_MAX).nullable().optional(),
  ...numberedPageQuery,
  q: storableText.max(NAME_CHARACTERS_MAX).nullable().optional(),
});
export type JudgesQuery = z.infer<typeof JudgesQuery>;

export const JudgeParams = z.strictObject({ judge_id: z.uuid() });

const anyObject = z.record(z.string(), z.unknown());

export const JudgeConversationRequest = z
  .strictObject({
    messages: z.array(anyObject).min(1).max(MESSAGES_MAX),
    properties: anyObject.nullable().optional(),
  })
  .meta({ id: 'JudgeConversationRequest' });
export type JudgeConversationRequest = z.infer<typeof JudgeConversationRequest>;

export const JudgeOutput = z
  .object({ analysis: z.string(), answer: z.union([z.string(), z.number()]) })
  .meta({ id: 'JudgeOutput' });
export type JudgeOutput = z.infer<typeof JudgeOutput>;
