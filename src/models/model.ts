import type { Engine } from '../engines/index.ts';
import type { ModelCapabilities } from './schema.ts';
import type { FineTunedRow } from './store.ts';

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
  /** False where an embedding model is here for moderation only. */
  embeds?: boolean;
  /** Only of a fine-tuned model, which belongs to one workspace. */
  tuned?: FineTunedRow;
};
