import type { ModelConfig } from '../config/schema.ts';
import { DEFAULT_SPEECH_ID, DIARIZATION_ID, languageId } from '../engines/index.ts';

/** The weights that a configured model needs in the models dir: catalogue ids, a path or an address. */
export function requiredWeights(model: ModelConfig): string[] {
  if (model.engine === 'whisper') return [model.weights, ...(model.diarization ? [DIARIZATION_ID] : [])];
  if ('weights' in model) return [model.weights];
  if (model.engine === 'tesseract') return model.languages.filter((language) => language !== 'eng').map(languageId);
  return model.engine === 'kokoro' ? [DEFAULT_SPEECH_ID] : [];
}
