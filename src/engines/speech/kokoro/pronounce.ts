import type { EspeakProcess, Turn } from '../espeak/process.ts';
import { espeakVoiceFor, findEspeakVoice } from '../espeak/voices.ts';
import type { Run } from '../text/split-scripts.ts';
import { toKokoro } from './phonemes.ts';
import type { KokoroVoice } from './voices.ts';

/** Marks that the model knows; eSpeak NG drops them, so they are kept aside and put back where they stood. */
const MARKS = /\s*([,;:.!?…—"“”()]+)(?=\s|$|["“”()])\s*|(?<=^|\s)(["“(]+)/u;
const SPELLED: Record<string, string> = {
  '。': '. ',
  '！': '! ',
  '？': '? ',
  '，': ', ',
  '、': ', ',
  '；': '; ',
  '：': ': ',
};

/** How a piece of text is pronounced by a voice, in Kokoro's notation. */
export async function pronounce(
  runs: Run[],
  voice: KokoroVoice,
  espeak: EspeakProcess,
  signal: AbortSignal,
  turn?: Turn,
): Promise<string> {
  const [own = ''] = voice.languages;
  const parts: string[] = [];
  let next = turn;
  for (const run of runs) {
    const isOwn = run.language === own;
    const reader = isOwn ? findEspeakVoice(voice.espeak) : espeakVoiceFor(run.language);
    const identifier = reader?.identifier ?? '';
    for (const { words, marks } of splitMarks(run.text)) {
      const spoken = words === '' ? '' : await espeak.phonemes(identifier, words, signal, next);
      if (words !== '') next = { ...turn, isContinued: true };
      parts.push(toKokoro(spoken, isOwn ? own : run.language), marks);
    }
    parts.push(' ');
  }
  return parts
    .join('')
    .replace(/ +/g, ' ')
    .replace(/ (?=[,;:.!?…])/g, '')
    .trim();
}

/** Words with the marks behind them. A mark inside a number or a word stays with it. */
export function splitMarks(text: string): { words: string; marks: string }[] {
  const plain = text.replace(/[。！？，、；：]/g, (mark) => SPELLED[mark] ?? mark).replace(/[«»„]/g, '"');
  const pieces: { words: string; marks: string }[] = [];
  let rest = plain;
  for (let found = MARKS.exec(rest); found; found = MARKS.exec(rest)) {
    const [whole, closing, opening] = found;
    const words = rest.slice(0, found.index).trim();
    // An opening mark stands before the next word, any other behind the last one.
    pieces.push({ words, marks: closing === undefined ? ` ${opening}` : `${closing} ` });
    rest = rest.slice(found.index + whole.length);
  }
  if (rest.trim() !== '') pieces.push({ words: rest.trim(), marks: '' });
  return pieces;
}
