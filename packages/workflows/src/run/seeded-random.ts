export type Random = { next(): number; uuid(): string };

/** Random numbers that are the same on replay: sfc32, seeded with the hash of a text. */
export function createRandom(seed: string): Random {
  let [a, b, c, counter] = hash(seed);
  const nextWord = (): number => {
    const sum = (a + b + counter++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round++) nextWord();
  return {
    next: () => nextWord() / 2 ** 32,
    uuid() {
      const hex = Array.from({ length: 4 }, () => nextWord().toString(16).padStart(8, '0')).join('');
      const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) & 3];
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
  };
}

/** FNV-1a over the text with four offsets. */
function hash(text: string): [number, number, number, number] {
  const words = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b, 0xc2b2ae35] as [number, number, number, number];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    for (let word = 0; word < 4; word++) words[word] = Math.imul((words[word] as number) ^ (code + word), 0x01000193);
  }
  return words;
}
