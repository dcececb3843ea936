import type { Model } from './model.ts';

/** What a request asks of a model. `vision` and `audio` are chats with such content. */
export type Need =
  | 'chat'
  | 'vision'
  | 'audio'
  | 'fim'
  | 'embeddings'
  | 'classification'
  | 'moderation'
  | 'ocr'
  | 'reranking'
  | 'speech'
  | 'transcription';

const checks: Record<Need, (model: Model) => boolean> = {
  chat: ({ capabilities }) => capabilities.completion_chat,
  vision: ({ capabilities }) => capabilities.completion_chat && capabilities.vision,
  audio: ({ capabilities }) => capabilities.completion_chat && capabilities.audio,
  fim: ({ capabilities, engine }) => capabilities.completion_fim && engine.completeFim !== undefined,
  embeddings: (model) => canEmbed(model) && !model.capabilities.completion_chat,
  classification: ({ capabilities }) => capabilities.classification,
  moderation: ({ capabilities }) => capabilities.moderation,
  ocr: ({ capabilities }) => capabilities.ocr,
  reranking: ({ engine }) => engine.rerank !== undefined,
  speech: ({ capabilities }) => capabilities.audio_speech,
  transcription: ({ capabilities }) => capabilities.audio_transcription,
};

export function meets(model: Model, need: Need): boolean {
  return checks[need](model);
}

/** No capability says this. An embedding model may be here for moderation only. */
export function canEmbed({ engine, embeds = true }: Model): boolean {
  return embeds && engine.embed !== undefined;
}
