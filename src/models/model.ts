import type { ClassifierTarget, Engine } from '../engines/index.ts';
import type { ModelCapabilities } from './schema.ts';

/** A model and the engine that runs it. */
export type Model = {
  id: string;
  /** Those of the configuration. */
  aliases: string[];
  /** The listed public names that stand for it. */
  standsFor?: string[];
  name: string | null;
  description: string | null;
  max_context_length: number;
  capabilities: ModelCapabilities;
  /** When it retires, and its replacement. */
  deprecation: string | null;
  replacement: string | null;
  temperature: number | null;
  engine: Engine;
  /** Comes with the program: models of the file and of the database go before it. */
  isBuiltin?: boolean;
  /** False where an embedding model is here for moderation only. */
  embeds?: boolean;
  /** Only of a model that was made for one workspace. */
  tuned?: Tuned;
  /** Only of a classifier that was trained here, for one workspace or for all. */
  classifier?: TrainedClassifier;
};

export type Tuned = {
  workspace_id: string;
  /** Its base model. */
  root: string;
  job: string;
  archived: boolean;
  created: number;
  name: string | null;
  description: string | null;
};

export type TrainedClassifier = {
  /** Another one for each training. */
  job: string;
  created: number;
  root: string;
  targets: Omit<ClassifierTarget, 'weights'>[];
};
