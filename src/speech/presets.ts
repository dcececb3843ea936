import { createHash } from 'node:crypto';
import type { PresetVoice, SpeechEngine } from '../models/index.ts';
import type { VoiceResponse } from './schema/voices.ts';
import type { Speaker } from './speakers.ts';

/** Presets come with the program and have no day of their own; the field must hold one. */
const CREATED_AT = '2026-01-01T00:00:00.000000Z';
const RETENTION_NOTICE_DAYS = 30;

export type Preset = PresetVoice & { id: string };

const ids = new Map<string, string>();

export function presetsOf({ voices }: SpeechEngine): Preset[] {
  return voices.map((voice) => ({ ...voice, id: presetId(voice.slug) }));
}

export function findPreset(speech: SpeechEngine, idOrSlug: string): Preset | undefined {
  const voice = speech.voices.find(({ slug }) => slug === idOrSlug);
  if (voice) return { ...voice, id: presetId(voice.slug) };
  const id = idOrSlug.toLowerCase();
  return presetsOf(speech).find((preset) => preset.id === id);
}

export function showPreset({ model }: Speaker, { id, name, slug, languages, gender }: Preset): VoiceResponse {
  return {
    id,
    name,
    slug,
    languages,
    gender,
    age: null,
    tags: ['preset', model.id],
    color: null,
    description: null,
    retention_notice: RETENTION_NOTICE_DAYS,
    created_at: CREATED_AT,
    user_id: null,
    type: 'preset',
    trimmed_seconds: null,
  };
}

/** The same on every server, after every start and whichever engine stands in: made of the slug alone. */
function presetId(slug: string): string {
  let id = ids.get(slug);
  if (!id) {
    const digest = createHash('sha256').update(`tramontane voice ${slug}`).digest();
    digest[6] = ((digest[6] as number) & 0x0f) | 0x80;
    digest[8] = ((digest[8] as number) & 0x3f) | 0x80;
    const hex = digest.toString('hex', 0, 16);
    id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    ids.set(slug, id);
  }
  return id;
}
