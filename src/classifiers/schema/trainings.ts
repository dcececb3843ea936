import { z } from 'zod';

export const TRAINING_STATUSES = ['QUEUED', 'RUNNING', 'SUCCESS', 'FAILED'] as const;
const MODEL_CHARACTERS_MAX = 512;

export const CreateClassifierTraining = z
  .strictObject({
    name: z
      .string()
      .max(64)
      .regex(/^[a-z0-9][a-z0-9._-]*$/i)
      .meta({ description: 'Letters, digits, dots, dashes and underscores.' }),
    file_id: z
      .uuid()
      .meta({ description: 'An uploaded file with one example per line, as docs/classifiers.md has it.' }),
    model: z
      .string()
      .min(1)
      .max(MODEL_CHARACTERS_MAX)
      .nullish()
      .meta({ description: 'The embedding model; by default the one that search uses.' }),
    held_out: z
      .number()
      .min(0.05)
      .max(0.5)
      .default(0.2)
      .meta({ description: 'The share of examples that is only measured on.' }),
    seed: z.int().min(0).max(2_147_483_647).default(1),
  })
  .meta({ id: 'CreateClassifierTraining' });
export type CreateClassifierTraining = z.infer<typeof CreateClassifierTraining>;

export const TrainingParams = z.strictObject({ training_id: z.uuid() });
export const TrainingsQuery = z.strictObject({ limit: z.coerce.number().int().min(1).max(200).default(50) });

const share = z.number().nullable();

/** Shares are from 0 to 1; null where there is nothing to divide. */
const TargetFigures = z.object({
  accuracy: z.number(),
  macro_f1: z.number(),
  calibration_error: z.number(),
  labels: z.record(z.string(), z.object({ examples: z.number(), precision: share, recall: share, f1: share })),
});

const TrainingFigures = z
  .object({
    examples: z.number(),
    held_out: z.number(),
    seed: z.number(),
    targets: z.record(z.string(), TargetFigures),
  })
  .meta({ id: 'ClassifierTrainingFigures' });

export const ClassifierTraining = z
  .object({
    id: z.string(),
    name: z.string(),
    /** Null for others than the one who asked for the training. */
    file_id: z.string().nullable(),
    /** The embedding model; null until it was chosen. */
    model: z.string().nullable(),
    held_out: z.number(),
    seed: z.number(),
    status: z.enum(TRAINING_STATUSES),
    /** What is being done, or why it failed. */
    message: z.string().nullable(),
    /** The model that was made: a fine-tuned model of the workspace. */
    classifier_id: z.string().nullable(),
    /** How it does on the examples that were held out. */
    figures: TrainingFigures.nullable(),
    creator_id: z.string(),
    created_at: z.string(),
    ended_at: z.string().nullable(),
  })
  .meta({ id: 'ClassifierTraining' });
export type ClassifierTraining = z.infer<typeof ClassifierTraining>;

export const ClassifierTrainings = z.object({ data: z.array(ClassifierTraining) }).meta({ id: 'ClassifierTrainings' });
export type ClassifierTrainings = z.infer<typeof ClassifierTrainings>;
