import { z } from 'zod';
import {
  Aliases,
  AliasList,
  fieldsQuery,
  listQuery,
  Notes,
  RegistrySharingScope,
  selectorQuery,
  storedText,
  Timestamp,
  VersionNumber,
} from '../kit/versions/index.ts';
import { VARIABLE_NAME } from './find-variables.ts';
import { isReference } from './parse-reference.ts';

const CONTENT_CHARACTERS_MAX = 1024 * 1024;
const VARIABLES_MAX = 1000;
const NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const PromptName = z
  .string()
  .min(1)
  .max(128)
  .regex(NAME)
  .refine((name) => !UUID.test(name), { error: 'a name shaped like a UUID could be taken for an id' });

export const PromptVariable = z.strictObject({ name: z.string().max(64).regex(VARIABLE_NAME) }).meta({
  id: 'PromptVariable',
});

export const PromptDefinition = z
  .strictObject({
    content: z.string().max(CONTENT_CHARACTERS_MAX),
    variables: z.array(PromptVariable).max(VARIABLES_MAX).optional(),
  })
  .meta({ id: 'PromptDefinition' });
export type PromptDefinition = z.infer<typeof PromptDefinition>;

const versionFields = {
  definition: PromptDefinition.optional(),
  version: z.int32().optional(),
  notes: z.string().optional(),
  aliases: z.array(z.string()).optional(),
  createdAt: Timestamp.optional(),
};

export const Prompt = z
  .strictObject({
    ...versionFields,
    id: z.string().optional(),
    name: z.string().optional(),
    sharingScope: RegistrySharingScope.optional(),
    updatedAt: Timestamp.optional(),
    latestVersion: z.int32().optional(),
    title: z.string().optional(),
    description: z.string().optional(),
  })
  .meta({ id: 'Prompt' });
export type Prompt = z.infer<typeof Prompt>;

export const PromptVersion = z.strictObject(versionFields).meta({ id: 'PromptVersion' });
export type PromptVersion = z.infer<typeof PromptVersion>;

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

export const CreatePromptVersionRequest = z.strictObject({
  definition: PromptDefinition,
  notes: Notes.nullable().optional(),
  aliases: Aliases.optional(),
});
export type CreatePromptVersionRequest = z.infer<typeof CreatePromptVersionRequest>;

export const UpdatePromptVersionRequest = z.strictObject({
  notes: Notes.nullable().optional(),
  aliases: AliasList.optional(),
});
export type UpdatePromptVersionRequest = z.infer<typeof UpdatePromptVersionRequest>;

export const ListPromptsResponse = z
  .strictObject({ data: z.array(Prompt).optional(), nextPageToken: z.string().optional() })
  .meta({ id: 'ListPromptsResponse' });
export type ListPromptsResponse = z.infer<typeof ListPromptsResponse>;

export const ListPromptVersionsResponse = z
  .strictObject({ data: z.array(PromptVersion).optional() })
  .meta({ id: 'ListPromptVersionsResponse' });

export const CreatePromptVersionResponse = z
  .strictObject({ version: z.int32().optional(), deduplicated: z.boolean().optional() })
  .meta({ id: 'CreatePromptVersionResponse' });
export type CreatePromptVersionResponse = z.infer<typeof CreatePromptVersionResponse>;

export const DeletePromptResponse = z.strictObject({}).meta({ id: 'DeletePromptResponse' });

/** The model that answers when a prompt is used as one; beside the definition, so that changing it makes no version. */
export const PromptModel = z
  .strictObject({
    model: storedText(256)
      .min(1)
      .refine((model) => !isReference(model), { error: 'a prompt cannot be the model of a prompt' })
      .nullable(),
  })
  .meta({ id: 'PromptModel' });
export type PromptModel = z.infer<typeof PromptModel>;

export const PromptAliasMove = z
  .strictObject({
    alias: z.string(),
    fromVersion: z.int32().nullable(),
    toVersion: z.int32().nullable(),
    movedAt: Timestamp,
    movedBy: z.string(),
  })
  .meta({ id: 'PromptAliasMove' });
export const ListPromptAliasMovesResponse = z
  .strictObject({ data: z.array(PromptAliasMove) })
  .meta({ id: 'ListPromptAliasMovesResponse' });
export type ListPromptAliasMovesResponse = z.infer<typeof ListPromptAliasMovesResponse>;

export const PromptParams = z.strictObject({ prompt_id: z.string() });
export const PromptVersionParams = z.strictObject({ prompt_id: z.string(), version: VersionNumber });

export const ListPromptsQuery = listQuery(FIELDS);
export type ListPromptsQuery = z.infer<typeof ListPromptsQuery>;
export const PromptQuery = selectorQuery(FIELDS);
export type PromptQuery = z.infer<typeof PromptQuery>;
export const PromptVersionQuery = fieldsQuery(FIELDS);
