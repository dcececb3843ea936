import type { Scope } from '../kit/http/index.ts';
import { speechErrors } from './errors.ts';
import { parseAudio } from './parse-audio.ts';
import { findPreset } from './presets.ts';
import { listSpeakers, type Speaker, type SpeakingModels, speakersFor } from './speakers.ts';
import type { VoiceRow } from './store.ts';

export type Chosen = Speaker & { voice: string; refAudio?: Uint8Array };

type Asked = {
  model?: string | null | undefined;
  voice_id?: string | null | undefined;
  ref_audio?: string | null | undefined;
};

type CustomVoices = {
  findCustom(scope: Scope, idOrSlug: string): Promise<VoiceRow | undefined>;
  readSample(row: VoiceRow): Promise<Uint8Array>;
};

export type ChooseVoice = (scope: Scope, asked: Asked) => Promise<Chosen>;

/** The model and the voice that a request asks for. */
export function createVoiceChoice({ models, voices }: { models: SpeakingModels; voices: CustomVoices }): ChooseVoice {
  return async (scope, { model, voice_id, ref_audio }) => {
    const asked = speakersFor(models, scope.workspace_id, model);
    const [first] = asked as [Speaker];
    if (ref_audio != null) {
      if (voice_id != null) throw speechErrors.two_voices();
      const { bytes } = parseAudio(ref_audio, 'ref_audio');
      return clone(asked, bytes, 'ref_audio cannot be used here');
    }
    if (voice_id == null) return { ...first, voice: first.speech.defaultVoice };
    for (const speaker of asked) {
      const preset = findPreset(speaker.speech, voice_id);
      if (preset) return { ...speaker, voice: preset.slug };
    }
    const custom = await voices.findCustom(scope, voice_id);
    if (custom)
      return clone(asked, await voices.readSample(custom), `The custom voice '${voice_id}' cannot be used here`);
    const open = asked.find(({ speech }) => speech.voices.length === 0);
    if (open) return { ...open, voice: voice_id };
    const other = listSpeakers(models, scope.workspace_id).find(({ speech }) => findPreset(speech, voice_id));
    throw other ? speechErrors.voice_of_other_model(voice_id, other.model.id) : speechErrors.voice_not_found(voice_id);
  };
}

/** Speaks like a recording; few engines can. */
function clone(speakers: Speaker[], refAudio: Uint8Array, refusal: string): Chosen {
  const speaker = speakers.find(({ speech }) => speech.clones);
  if (speaker) return { ...speaker, voice: speaker.speech.defaultVoice, refAudio };
  const names = speakers.map(({ model }) => `'${model.id}'`).join(', ');
  throw speechErrors.cloning_unsupported(
    `${refusal}: ${names} cannot clone voices. Choose a preset voice from /v1/audio/voices.`,
  );
}
