import { ApiError, badRequest } from '../kit/http/index.ts';
import type { Model, ModelService, SpeechEngine } from '../models/index.ts';

/** A model and its voice, as it is now: an engine may change what speaks for it, and one answer keeps to one. */
export type Speaker = { model: Model; speech: SpeechEngine };

export type SpeakingModels = Pick<ModelService, 'find' | 'served'>;

export function listSpeakers(models: SpeakingModels, workspaceId: string): Speaker[] {
  return models.served(workspaceId).flatMap(toSpeaker);
}

/** Those that may serve the request: the one it names, else all, the default one first. */
export function speakersFor(models: SpeakingModels, workspaceId: string, name: string | null | undefined): Speaker[] {
  if (name === null || name === undefined) {
    const all = listSpeakers(models, workspaceId);
    if (all.length === 0) throw badRequest('This server has no model that can speak. Ask the operator to add one.');
    return all;
  }
  const model = models.find(name, workspaceId);
  if (!model) throw new ApiError(400, `Invalid model: ${name}`, { type: 'invalid_model', code: '1500' });
  const speakers = toSpeaker(model);
  if (speakers.length === 0)
    throw badRequest(`The model '${model.id}' cannot speak. Choose one whose card has audio_speech.`);
  return speakers;
}

function toSpeaker(model: Model): Speaker[] {
  const { speech } = model.engine;
  return speech ? [{ model, speech }] : [];
}
