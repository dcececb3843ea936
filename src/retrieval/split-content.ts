const CHARACTERS_MAX = 1200;
const OVERLAP = 150;
/** The better a place is for a cut, the earlier it stands here. */
const BREAKS = [/\n\s*\n/g, /\n/g, /[.!?。！？]\s*/g, /\s+/g];

export type Passage = { text: string; start: number; end: number };

/** Passages of a plain text, cut at paragraphs, lines, sentences or words; each begins with the end of the one before. */
export function splitContent(text: string): Passage[] {
  const passages: Passage[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOf(text, start);
    const passage = text.slice(start, end);
    if (passage.trim() !== '') passages.push({ text: passage, start, end });
    if (end >= text.length) break;
    start = Math.max(start + 1, wordBefore(text, end - OVERLAP, start));
  }
  return passages;
}

function endOf(text: string, start: number): number {
  const limit = start + CHARACTERS_MAX;
  if (limit >= text.length) return text.length;
  const window = text.slice(start, limit);
  for (const pattern of BREAKS) {
    let best = 0;
    for (const match of window.matchAll(pattern)) best = match.index + match[0].length;
    // A cut near the beginning would make passages that say nothing.
    if (best > CHARACTERS_MAX / 2) return start + best;
  }
  // Not between the two halves of one character.
  return /[\uD800-\uDBFF]/.test(text[limit - 1] ?? '') ? limit - 1 : limit;
}

function wordBefore(text: string, at: number, start: number): number {
  for (let i = at; i > Math.max(start, at - OVERLAP); i--) if (/\s/.test(text[i - 1] ?? '')) return i;
  return /[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at + 1 : at;
}
