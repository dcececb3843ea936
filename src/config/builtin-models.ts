import { z } from 'zod';
import { ModelConfig } from './models.ts';

const MINILM = { id: 'all-minilm-l6-v2', engine: 'onnx', weights: 'all-minilm-l6-v2' } as const;
const MULTILINGUAL = { id: 'use-multilingual-v3', engine: 'onnx', weights: 'use-multilingual-v3' } as const;

/**
 * What is served without a file: a tiny model for chat, one for embeddings and moderation, one for embeddings in 16 languages,
 * two voices, OCR and transcription.
 */
export const BUILTIN_MODELS: z.input<typeof ModelConfig>[] = [
  { id: 'smollm2-135m-instruct', engine: 'llama', weights: 'smollm2-135m-instruct' },
  { ...MINILM, capabilities: { moderation: true } },
  { ...MULTILINGUAL, kind: 'embeddings' },
  { id: 'kokoro-82m', engine: 'kokoro' },
  { id: 'espeak-ng', engine: 'espeak' },
  { id: 'tesseract', engine: 'tesseract' },
  { id: 'whisper-base', engine: 'whisper' },
];

const byKind = {
  chat: z.boolean().default(true),
  embeddings: z.boolean().default(true),
  moderation: z.boolean().default(true),
  speech: z.boolean().default(true),
  ocr: z.boolean().default(true),
  transcription: z.boolean().default(true),
};
const Kinds = z.strictObject(byKind);

export const Builtin = z.union([z.boolean(), Kinds]).default(true);

const KIND_OF_ENGINE = {
  llama: 'chat',
  kokoro: 'speech',
  espeak: 'speech',
  tesseract: 'ocr',
  whisper: 'transcription',
} as const;

/** The built-in models that the setting leaves. MiniLM serves both embeddings and moderation. */
export function chooseBuiltin(setting: z.infer<typeof Builtin>): ModelConfig[] {
  if (setting === false) return [];
  const stays = setting === true ? Kinds.parse({}) : setting;
  return BUILTIN_MODELS.flatMap((model) => {
    if (model.engine in KIND_OF_ENGINE)
      return stays[KIND_OF_ENGINE[model.engine as keyof typeof KIND_OF_ENGINE]] ? model : [];
    if (model.id === MULTILINGUAL.id) return stays.embeddings ? model : [];
    if (stays.embeddings && stays.moderation) return model;
    if (stays.embeddings) return { ...MINILM, kind: 'embeddings' as const };
    return stays.moderation ? { ...MINILM, kind: 'moderation' as const } : [];
  }).map((model) => {
    const parsed: ModelConfig = ModelConfig.parse(model);
    // No request goes to it unless it is named, so its weights wait for the first one that does.
    return model.id === MULTILINGUAL.id ? { ...parsed, isLazy: true } : parsed;
  });
}

/** Those whose place no model of the file takes: by a name, or by running the same weights. */
export function besides(named: readonly ModelConfig[], builtin: readonly ModelConfig[]): ModelConfig[] {
  const names = new Set(named.flatMap(({ id, aliases }) => [id, ...aliases]));
  const sourceOf = (model: ModelConfig) => `${model.engine} ${'weights' in model ? model.weights : ''}`;
  const sources = new Set(named.map(sourceOf));
  return builtin.filter((model) => !names.has(model.id) && !sources.has(sourceOf(model)));
}
