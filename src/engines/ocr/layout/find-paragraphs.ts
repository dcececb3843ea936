import type { Line } from './elements.ts';
import { heightOf, median } from './geometry.ts';

const BULLET = /^[•◦▪▫■□●○‣⁃∙·*–—-]$/u;
const NUMBER = /^(\(?\d{1,3}[.)]|\(?[a-z][.)]|\(?[ivx]{1,4}[.)])$/i;
/** What a recognizer makes of a bullet that it does not know. */
const MISREAD_BULLET = /^[eo0©®¢«»°+*.]$/;

export type Paragraph = { lines: Line[]; marker?: Marker };

/** Lines that go on from each other, in the order in which they are read. */
export function findParagraphs(lines: readonly Line[], isScan: boolean): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  const pitch = pitchOf(lines);
  for (const [i, line] of lines.entries()) {
    const marker = markerOf(line, isScan);
    const current = paragraphs.at(-1);
    const above = current?.lines.at(-1);
    if (current && above && !marker && goesOn(above, line, current, pitch, lines[i + 1])) current.lines.push(line);
    else paragraphs.push({ lines: [line], ...(marker && { marker }) });
  }
  return paragraphs.map(withoutLoneMarker(paragraphs));
}

/** From the top of a line to that of the next, for most of them; 0 when there is nothing to measure. */
function pitchOf(lines: readonly Line[]): number {
  const pitches: number[] = [];
  for (const [i, line] of lines.entries()) {
    const next = lines[i + 1];
    const pitch = next ? baseOf(next) - baseOf(line) : 0;
    if (next && pitch > 0.5 * line.size && pitch < 3 * line.size) pitches.push(pitch);
  }
  return median(pitches);
}

const baseOf = ({ box }: Line) => (box.y0 + box.y1) / 2;

function goesOn(above: Line, line: Line, { lines, marker }: Paragraph, pitch: number, next: Line | undefined): boolean {
  const size = Math.max(above.size, line.size);
  if (Math.min(above.size, line.size) < 0.84 * size) return false;
  if (isBold(above) !== isBold(line) && lines.every(isBold) !== isBold(line)) return false;
  if (isMono(above) !== isMono(line)) return false;
  const step = baseOf(line) - baseOf(above);
  // Up again: the next column goes on only when the sentence does.
  if (step <= 0) return !endsSentence(above) && above.box.x1 < line.box.x0;
  const stepMax = pitch > 0 ? Math.max(1.35 * pitch, 1.3 * heightOf(above.box)) : 2 * size;
  if (step > stepMax || line.box.x0 > above.box.x1) return false;
  if (isMono(line)) return true;
  const first = lines[0] as Line;
  if (marker) return line.box.x0 > first.box.x0 + 0.5 * size;
  // The first line of a paragraph may stand further in than the ones below it.
  const isIndented = line.box.x0 > above.box.x0 + 0.9 * size && (!next || next.box.x0 < line.box.x0 - 0.5 * size);
  return !(isIndented && endsSentence(above));
}

function endsSentence({ words }: Line): boolean {
  return /[.!?:;"'”’»)\]]$/u.test(words.at(-1)?.text ?? '');
}

export const isBold = ({ words }: Line) => words.every((word) => word.isBold);
export const isMono = ({ words }: Line) => words.every((word) => word.isMono);

/** What may be a marker or the beginning of a sentence is one only beside others. */
function withoutLoneMarker(all: Paragraph[]) {
  return (paragraph: Paragraph, i: number): Paragraph => {
    const { marker, lines } = paragraph;
    if (!marker || marker.isCertain || all[i - 1]?.marker || all[i + 1]?.marker) return paragraph;
    return { lines };
  };
}

type Marker = { text: string; isCertain: boolean };

/** How the line begins, if that is how an item of a list begins, as Markdown writes it. */
function markerOf({ words }: Line, isScan: boolean): Marker | undefined {
  const [first, second] = words;
  if (!first || !second) return undefined;
  if (BULLET.test(first.text)) return { text: '-', isCertain: true };
  if (NUMBER.test(first.text)) return { text: numbered(first.text), isCertain: /\d/.test(first.text) };
  return isScan && MISREAD_BULLET.test(first.text) ? { text: '-', isCertain: false } : undefined;
}

function numbered(text: string): string {
  const number = /\d+/.exec(text)?.[0];
  return number ? `${number}.` : `- ${text}`;
}
