import { z } from 'zod';
import { objectSchemas, storedText, Timestamp } from '../registry/index.ts';

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

export const promptSchemas = objectSchemas({
  noun: 'Prompt',
  name: PromptName,
  definition: PromptDefinition,
  shown: {
    title: z.string().optional(),
    description: z.string().optional(),
    createdBy: z.string().optional(),
    versionCreatedAt: Timestamp.optional(),
  },
  given: { title: storedText(1000).nullable().optional(), description: storedText(10_000).nullable().optional() },
  listed: ['content', 'variables'],
});
export type Prompt = z.infer<typeof promptSchemas.object>;

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
