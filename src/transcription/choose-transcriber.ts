import {
  adviseConfiguration,
  type Model,
  type ModelService,
  modelErrors,
  type TranscriptionEngine,
} from '../models/index.ts';
import { transcriptionErrors } from './errors.ts';

export type TranscribingModels = Pick<ModelService, 'find' | 'served'>;

export type Transcriber = { model: Model; transcription: TranscriptionEngine };

/** The model that is named, or the first one that transcribes. */
export function chooseTranscriber(models: TranscribingModels, workspaceId: string, name: string | null): Transcriber {
  const model =
    name === null
      ? models.served(workspaceId).find(({ engine }) => engine.transcription)
      : models.find(name, workspaceId, 'transcription');
  if (!model)
    throw name === null
      ? transcriptionErrors.no_transcription_model()
      : modelErrors.unknown_model(name, adviseConfiguration('transcription', name));
  const { transcription } = model.engine;
  if (!transcription) throw transcriptionErrors.model_cannot_transcribe(model.id);
  return { model, transcription };
}
