import type { Line } from './elements.ts';

const BULLET = /^[•◦▪▫■□●○‣⁃∙·*–—-]$/u;
const NUMBER = /^(\(?\d{1,3}[.)]|\(?[a-z][.)]|\(?[ivx]{1,4}[.)])$/i;
/** What a recognizer makes of a bullet that it does not know. */
const MISREAD_BULLET = /^[eo0©®¢«»°+*.]$/;

export type Marker = { text: string; isCertain: boolean };

/** How the line begins, if that is how an item of a list begins, as Markdown writes it. */
export function markerOf({ words }: Line, isScan: boolean): Marker | undefined {
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
