import { z } from 'zod';
import {
  Aliases,
  createVersionRequest,
  fieldsQuery,
  listQuery,
  Notes,
  objectFields,
  RegistrySharingScope,
  responsesOf,
  selectorQuery,
  storedText,
  VersionNumber,
  versionFields,
} from '../registry/index.ts';

const CONTENT_CHARACTERS_MAX = 1024 * 1024;
const VARIABLES_MAX = 1000;
const VARIABLE_NAME = /^[\p{L}_][\p{L}\p{N}_.-]*$/u;
const NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const PromptName = z
  .string()
  .min(1)
  .max(128)
  .regex(NAME)
  .refine((name) => !UUID.test(name), { error: 'a name shaped like a UUID could be taken for an id' });

const PromptVariable = z.strictObject({ name: z.string().max(64).regex(VARIABLE_NAME) }).meta({
  id: 'PromptVariable',
});

export const PromptDefinition = z
  .strictObject({
    content: z.string().max(CONTENT_CHARACTERS_MAX),
    variables: z.array(PromptVariable).max(VARIABLES_MAX).optional(),
  })
  .meta({ id: 'PromptDefinition' });
export type PromptDefinition = z.infer<typeof PromptDefinition>;

export const Prompt = z
  .strictObject({
    ...versionFields(PromptDefinition),
    ...objectFields,
    title: z.string().optional(),
    description: z.string().optional(),
  })
  .meta({ id: 'Prompt' });
export type Prompt = z.infer<typeof Prompt>;

const PromptVersion = z.strictObject(versionFields(PromptDefinition)).meta({ id: 'PromptVersion' });

const FIELDS = [...Object.keys(Prompt.shape), 'definition.content', 'definition.variables'];

const Title = storedText(1000);
const Description = storedText(10_000);

export const CreatePromptRequest = z
  .strictObject({
    name: PromptName,
    definition: PromptDefinition,
    title: Title.nullable().optional(),
    description: Description.nullable().optional(),
    notes: Notes.nullable().optional(),
    sharingScope: RegistrySharingScope.nullable().optional(),
    aliases: Aliases.optional(),
  })
  .meta({ id: 'CreatePromptRequest' });
export type CreatePromptRequest = z.infer<typeof CreatePromptRequest>;

export const UpdatePromptRequest = z.strictObject({
  title: Title.nullable().optional(),
  description: Description.nullable().optional(),
  sharingScope: RegistrySharingScope.nullable().optional(),
});
export type UpdatePromptRequest = z.infer<typeof UpdatePromptRequest>;

export const CreatePromptVersionRequest = createVersionRequest(PromptDefinition);
export type CreatePromptVersionRequest = z.infer<typeof CreatePromptVersionRequest>;

export const ListPromptsResponse = z
  .strictObject({ data: z.array(Prompt).optional(), nextPageToken: z.string().optional() })
  .meta({ id: 'ListPromptsResponse' });
export type ListPromptsResponse = z.infer<typeof ListPromptsResponse>;

export const ListPromptVersionsResponse = z
  .strictObject({ data: z.array(PromptVersion).optional() })
  .meta({ id: 'ListPromptVersionsResponse' });

export const {
  created: CreatePromptVersionResponse,
  deleted: DeletePromptResponse,
  aliasMoves: ListPromptAliasMovesResponse,
} = responsesOf('Prompt');
export type CreatePromptVersionResponse = z.infer<typeof CreatePromptVersionResponse>;
export type ListPromptAliasMovesResponse = z.infer<typeof ListPromptAliasMovesResponse>;

/** Whether a model's name refers to a prompt. */
export function isReference(model: string): boolean {
  return model.startsWith('prompt:');
}

/** The model behind a prompt that is used as a model; not part of the definition, so a change makes no version. */
export const PromptModel = z
  .strictObject({
    model: storedText(256)
      .min(1)
      .refine((model) => !isReference(model), { error: 'a prompt cannot be the model of a prompt' })
      .nullable(),
  })
  .meta({ id: 'PromptModel' });
export type PromptModel = z.infer<typeof PromptModel>;

export const PromptParams = z.strictObject({ prompt_id: z.string() });
export const PromptVersionParams = z.strictObject({ prompt_id: z.string(), version: VersionNumber });

export const ListPromptsQuery = listQuery(FIELDS);
export type ListPromptsQuery = z.infer<typeof ListPromptsQuery>;
export const PromptQuery = selectorQuery(FIELDS);
export type PromptQuery = z.infer<typeof PromptQuery>;
export const PromptVersionQuery = fieldsQuery(FIELDS);
