export {
  type CatalogueEntry,
  type CatalogueFile,
  catalogue,
  DEFAULT_CHAT_ID,
  DEFAULT_EMBEDDINGS_ID,
  DEFAULT_SPEECH_ID,
  DEFAULT_TRANSCRIPTION_ID,
  DIARIZATION_ID,
  findCatalogueEntry,
  LIGHT_ENGLISH_ID,
  MULTILINGUAL_EMBEDDINGS_ID,
  NPM_CHAT_ID,
} from './catalogue.ts';
export { PullFailed } from './errors.ts';
export type { HuggingFace } from './huggingface.ts';
export { find, type InstalledModel, list, remove } from './installed.ts';
export { languageId } from './languages.ts';
export type { Progress, SourceKind } from './progress.ts';
export { type Pulled, type PullOptions, pull } from './pull.ts';
export { type UsableSource, usableSources } from './usable-sources.ts';
