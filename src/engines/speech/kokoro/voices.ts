import type { PresetVoice } from '../../engine.ts';

/** A language of Kokoro: its BCP 47 tag and the voice of eSpeak NG that knows how its words are pronounced. */
type KokoroLanguage = { tag: string; espeak: string };

/** By the first letter of a voice; the second one is its gender. */
const LANGUAGES: Record<string, KokoroLanguage> = {
  a: { tag: 'en-US', espeak: 'en-us' },
  b: { tag: 'en-GB', espeak: 'en' },
  e: { tag: 'es', espeak: 'es' },
  f: { tag: 'fr-FR', espeak: 'fr' },
  h: { tag: 'hi', espeak: 'hi' },
  i: { tag: 'it', espeak: 'it' },
  j: { tag: 'ja', espeak: 'ja' },
  p: { tag: 'pt-BR', espeak: 'pt-br' },
  z: { tag: 'cmn', espeak: 'cmn' },
};

/** In the order in which they lie in the file of voices. */
export const KOKORO_VOICE_NAMES = [
  'af_alloy af_aoede af_bella af_heart af_jessica af_kore af_nicole af_nova af_river af_sarah af_sky',
  'am_adam am_echo am_eric am_fenrir am_liam am_michael am_onyx am_puck am_santa',
  'bf_alice bf_emma bf_isabella bf_lily bm_daniel bm_fable bm_george bm_lewis',
  'ef_dora em_alex em_santa ff_siwis hf_alpha hf_beta hm_omega hm_psi if_sara im_nicola',
  'jf_alpha jf_gongitsune jf_nezumi jf_tebukuro jm_kumo pf_dora pm_alex pm_santa',
  'zf_xiaobei zf_xiaoni zf_xiaoxiao zf_xiaoyi zm_yunjian zm_yunxi zm_yunxia zm_yunyang',
]
  .join(' ')
  .split(' ');

export type KokoroVoice = PresetVoice & {
  gender: 'female' | 'male';
  /** Its place in the file of voices. */
  index: number;
  /** The slug of the voice of eSpeak NG that pronounces its language. */
  espeak: string;
};

export const kokoroVoices: readonly KokoroVoice[] = KOKORO_VOICE_NAMES.map((slug, index) => {
  const { tag, espeak } = LANGUAGES[slug[0] ?? ''] ?? { tag: 'und', espeak: 'en-us' };
  const name = slug.slice(3);
  return {
    slug,
    name: `${name[0]?.toUpperCase()}${name.slice(1)}`,
    languages: [tag],
    gender: slug[1] === 'f' ? 'female' : 'male',
    index,
    espeak,
  };
});

export const DEFAULT_KOKORO_VOICE = 'af_heart';

const bySlug = new Map(kokoroVoices.map((voice) => [voice.slug, voice]));

export function findKokoroVoice(slug: string): KokoroVoice | undefined {
  return bySlug.get(slug.toLowerCase());
}
