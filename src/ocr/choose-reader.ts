import { adviseConfiguration, type Model, type ModelService, modelErrors, type OcrEngine } from '../models/index.ts';
import { ocrErrors } from './errors.ts';

export type ReaderModels = Pick<ModelService, 'find' | 'served'>;

/** The model that reads documents: the one that is named, or the first one there is. */
export function chooseReader(
  models: ReaderModels,
  workspaceId: string,
  name: string | null,
): { model: Model; ocr: OcrEngine } {
  const model =
    name === null ? models.served(workspaceId).find(({ engine }) => engine.ocr) : models.find(name, workspaceId, 'ocr');
  if (!model)
    throw name === null ? ocrErrors.no_ocr_model() : modelErrors.unknown_model(name, adviseConfiguration('ocr', name));
  const { ocr } = model.engine;
  if (!ocr) throw ocrErrors.model_cannot_read_documents(model.id);
  return { model, ocr };
}
