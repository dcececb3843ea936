import { normalizeEnglish } from './normalize-english.ts';

/** Characters that can be spoken. */
const SPEAKABLE = /[\p{L}\p{N}\p{Sc}%&+=@]/u;

const EMOJI =
  /(?:[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u{e0000}-\u{e007f}]|\u{fe0e}|\u{fe0f}|\u{20e3})+/gu;
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Co}\p{Cn}]+/gu;
/** Joiners have a meaning between letters and nowhere else. */
const STRAY_JOINER = /(?<![\p{L}\p{M}])[\u200c\u200d]+|[\u200c\u200d]+(?![\p{L}\p{M}])/gu;
const MARKUP = /[*_`~^|<>\\{}[\]]+|^\s*#+\s/gmu;
const URL_PATTERN = /\b(?:https?:\/\/|www\.)([^\s/?#:,;]{1,120})(?:[/?#:][^\s]*[^\s.,;:!?)'"”’»])?/giu;
const MAIL = /([\w.+-]{1,64})@([\w-]{1,63}(?:\.[\w-]{1,63})+)/gu;

/** How a dot and an @ are read out, where we know it. */
const SIGNS: Record<string, { dot: string; at: string }> = {
  en: { dot: 'dot', at: 'at' },
  de: { dot: 'Punkt', at: 'ät' },
  es: { dot: 'punto', at: 'arroba' },
  fr: { dot: 'point', at: 'arobase' },
  it: { dot: 'punto', at: 'chiocciola' },
  pt: { dot: 'ponto', at: 'arroba' },
};

/** A piece of text as it is spoken in the given language; empty when nothing can be spoken. */
export function cleanText(piece: string, language: string): string {
  const [plain = ''] = language.toLowerCase().split('-');
  let text = piece.toWellFormed().replaceAll('\ufffd', ' ').normalize('NFC');
  text = text.replace(EMOJI, ' ').replace(INVISIBLE, ' ').replace(STRAY_JOINER, ' ');
  text = sayAddresses(text, SIGNS[plain] ?? { dot: ' ', at: ' ' });
  text = text.replace(MARKUP, ' ').replace(/[‘’ʼ]/g, "'").replace(/[„‟]/g, '“');
  text = text
    .replace(/\.{2,}/g, '…')
    .replace(/([!?…,;:])\1+/g, '$1')
    .replace(/-{2,}/g, ' — ');
  // A line of signs is an ornament.
  text = text.replace(/([^\p{L}\p{N}\s])\1{2,}/gu, ' ');
  if (plain === 'en') text = normalizeEnglish(text);
  text = text
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.,;:!?…](?: |$))/g, '')
    .trim();
  return SPEAKABLE.test(text) ? text : '';
}

// Only the host of an address is spoken.
function sayAddresses(text: string, { dot, at }: { dot: string; at: string }): string {
  const dotted = (name: string) => name.replace(/\.+$/, '').replaceAll('.', ` ${dot} `);
  return text
    .replace(URL_PATTERN, (_, host: string) => dotted(host.replace(/^www\./i, '')))
    .replace(MAIL, (_, user: string, host: string) => `${dotted(user)} ${at} ${dotted(host)}`);
}
