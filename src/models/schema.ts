import { z } from 'zod';

export const ModelCapabilities = z
  .object({
    completion_chat: z.boolean().default(false),
    function_calling: z.boolean().default(false),
    reasoning: z.boolean().default(false),
    completion_fim: z.boolean().default(false),
    fine_tuning: z.boolean().default(false),
    vision: z.boolean().default(false),
    ocr: z.boolean().default(false),
    classification: z.boolean().default(false),
    moderation: z.boolean().default(false),
    audio: z.boolean().default(false),
    audio_transcription: z.boolean().default(false),
    audio_transcription_realtime: z.boolean().default(false),
    audio_speech: z.boolean().default(false),
    unified_resources: z.boolean().default(false),
  })
  .meta({ id: 'ModelCapabilities' });
export type ModelCapabilities = z.infer<typeof ModelCapabilities>;

const cardFields = {
  id: z.string(),
  object: z.string().default('model'),
  created: z.int().optional(),
  owned_by: z.string().default('mistralai'),
  capabilities: ModelCapabilities,
  name: z.string().nullable().optional(),
  description: z.string().nullable().optional(),
  max_context_length: z.int().default(32_768),
  aliases: z.array(z.string()).default([]),
  deprecation: z.iso.datetime().nullable().optional(),
  deprecation_replacement_model: z.string().nullable().optional(),
  default_model_temperature: z.number().nullable().optional(),
  internal: z.boolean().default(false),
};

export const BaseModelCard = z
  .object({
    ...cardFields,
    type: z.literal('base').default('base'),
    /** The id of the model, on the card of another name for it. */
    alias_of: z.string().optional(),
  })
  .meta({ id: 'BaseModelCard' });

export const FTModelCard = z
  .object({
    ...cardFields,
    type: z.literal('fine-tuned').default('fine-tuned'),
    job: z.string(),
    root: z.string(),
    archived: z.boolean().default(false),
  })
  .meta({ id: 'FTModelCard' });

export const ModelCard = z.discriminatedUnion('type', [BaseModelCard, FTModelCard]);
export type ModelCard = z.infer<typeof ModelCard>;

export const ModelList = z
  .object({ object: z.string().default('list'), data: z.array(ModelCard).optional() })
  .meta({ id: 'ModelList' });

export const ModelParams = z.strictObject({ model_id: z.string() });

export const ModelsQuery = z.strictObject({
  provider: z.string().nullable().optional(),
  model: z.string().nullable().optional(),
});
export type ModelsQuery = z.infer<typeof ModelsQuery>;

export const DeleteModelResponse = z
  .object({ id: z.string(), object: z.string().default('model'), deleted: z.boolean().default(true) })
  .meta({ id: 'DeleteModelResponse' });

export const UpdateModelRequest = z
  .strictObject({
    name: z.string().max(1000).nullable().optional(),
    description: z.string().max(10_000).nullable().optional(),
  })
  .meta({ id: 'UpdateModelRequest' });
export type UpdateModelRequest = z.infer<typeof UpdateModelRequest>;

export const ArchiveModelResponse = z
  .object({ id: z.string(), object: z.literal('model').default('model'), archived: z.boolean().default(true) })
  .meta({ id: 'ArchiveModelResponse' });

export const UnarchiveModelResponse = z
  .object({ id: z.string(), object: z.literal('model').default('model'), archived: z.boolean().default(false) })
  .meta({ id: 'UnarchiveModelResponse' });

export const FineTunedModelCapabilities = z
  .object({
    completion_chat: z.boolean().default(true),
    completion_fim: z.boolean().default(false),
    function_calling: z.boolean().default(false),
    fine_tuning: z.boolean().default(false),
    classification: z.boolean().default(false),
  })
  .meta({ id: 'FineTunedModelCapabilities' });

const fineTunedFields = {
  id: z.string(),
  object: z.literal('model').default('model'),
  created: z.int(),
  owned_by: z.string(),
  workspace_id: z.string(),
  root: z.string(),
  root_version: z.string(),
  archived: z.boolean(),
  name: z.string().nullable().optional(),
  description: z.string().nullable().optional(),
  capabilities: FineTunedModelCapabilities,
  max_context_length: z.int().default(32_768),
  aliases: z.array(z.string()).default([]),
  job: z.uuid().nullable().optional(),
};

export const CompletionFineTunedModel = z
  .object({ ...fineTunedFields, model_type: z.literal('completion').default('completion') })
  .meta({ id: 'CompletionFineTunedModel' });

const FTClassifierLossFunction = z.enum(['single_class', 'multi_class']).meta({ id: 'FTClassifierLossFunction' });

const ClassifierTargetResult = z
  .object({
    name: z.string(),
    labels: z.array(z.string()),
    weight: z.number(),
    loss_function: FTClassifierLossFunction,
  })
  .meta({ id: 'ClassifierTargetResult' });

export const ClassifierFineTunedModel = z
  .object({
    ...fineTunedFields,
    classifier_targets: z.array(ClassifierTargetResult),
    model_type: z.literal('classifier').default('classifier'),
  })
  .meta({ id: 'ClassifierFineTunedModel' });

export const FineTunedModel = z.discriminatedUnion('model_type', [CompletionFineTunedModel, ClassifierFineTunedModel]);
export type FineTunedModel = z.infer<typeof FineTunedModel>;
