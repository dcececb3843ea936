import { adviseConfiguration, type Model, type ModelService, modelErrors, type SpeechEngine } from '../models/index.ts';
import { speechErrors } from './errors.ts';

/** A model and its speech engine as it is now. A pulled engine may change it, so one request keeps the one it got. */
export type Speaker = { model: Model; speech: SpeechEngine };

export type SpeakingModels = Pick<ModelService, 'find' | 'served'>;

export function listSpeakers(models: SpeakingModels, workspaceId: string): Speaker[] {
  return models.served(workspaceId).flatMap(toSpeaker);
}

/** Those that may serve the request: the one it names, else all, the default one first. */
export function speakersFor(models: SpeakingModels, workspaceId: string, name: string | null | undefined): Speaker[] {
  if (name === null || name === undefined) {
    const all = listSpeakers(models, workspaceId);
    if (all.length === 0) throw speechErrors.no_speech_model();
    return all;
  }
  const model = models.find(name, workspaceId, 'speech');
  if (!model) throw modelErrors.unknown_model(name, adviseConfiguration('speech', name));
  const speakers = toSpeaker(model);
  if (speakers.length === 0) throw speechErrors.model_cannot_speak(model.id);
  return speakers;
}

function toSpeaker(model: Model): Speaker[] {
  const { speech } = model.engine;
  return speech ? [{ model, speech }] : [];
}
