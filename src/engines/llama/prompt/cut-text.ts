const sliceCharacters = 4096;
/** No control text is longer. */
const controlCharacters = 64;

/**
 * Long text in slices, so that others are served while its tokens are counted. A slice ends before a space, where a word
 * begins anyway; text without spaces is cut anywhere but inside a control text.
 */
export function* cutText(text: string, controlTexts: string[]): Generator<string> {
  let from = 0;
  while (text.length - from > sliceCharacters) {
    const end = from + sliceCharacters;
    const space = text.lastIndexOf(' ', end);
    const isWord = space > from + sliceCharacters / 2 && text[space - 1] !== ' ' && text[space - 1] !== '\n';
    const to = isWord ? space : outsideControl(text, end, controlTexts);
    yield text.slice(from, to);
    from = to;
  }
  yield text.slice(from);
}

function outsideControl(text: string, end: number, controlTexts: string[]): number {
  const start = end - controlCharacters;
  const around = text.slice(start, end + controlCharacters);
  for (const word of controlTexts) {
    const at = word === '' ? -1 : around.lastIndexOf(word, controlCharacters - 1);
    if (at >= 0 && at + word.length > controlCharacters) return start + at;
  }
  // Half a character would be lost.
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}
