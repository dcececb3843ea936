const CUT = '\n[the rest was cut off]';

/** Removes what PostgreSQL cannot store. */
export function clean(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

export function cleanJson(value: unknown): string {
  return JSON.stringify(value).toWellFormed().replaceAll('\\u0000', '\\ufffd');
}

export function cutText(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : text.slice(0, Math.max(0, charactersMax)).toWellFormed() + CUT;
}
