export type StopHolder = {
  /** What may be shown so far; `stopped` once a stop string was met, which itself is never shown. */
  push(text: string): { text: string; stopped: boolean };
  /** What was held back because it might have become a stop string. */
  flush(): string;
};

/** Finds stop strings in text that comes in pieces, holding back no more than could still become one. */
export function createStopHolder(stops: string[]): StopHolder {
  const wanted = stops.filter((stop) => stop.length > 0);
  let held = '';
  return {
    push(text) {
      held += text;
      const first = firstMatch(held, wanted);
      if (first !== undefined) {
        const shown = held.slice(0, first);
        held = '';
        return { text: shown, stopped: true };
      }
      const keep = partialMatchLength(held, wanted);
      const shown = held.slice(0, held.length - keep);
      held = held.slice(held.length - keep);
      return { text: shown, stopped: false };
    },
    flush() {
      const rest = held;
      held = '';
      return rest;
    },
  };
}

function firstMatch(text: string, wanted: string[]): number | undefined {
  const places = wanted.map((stop) => text.indexOf(stop)).filter((place) => place >= 0);
  return places.length > 0 ? Math.min(...places) : undefined;
}

/** How many characters at the end of `text` are the beginning of one of the wanted strings. */
export function partialMatchLength(text: string, wanted: string[]): number {
  const longest = Math.max(0, ...wanted.map((word) => word.length - 1));
  for (let length = Math.min(longest, text.length); length > 0; length--) {
    const tail = text.slice(-length);
    if (wanted.some((word) => word.length > length && word.startsWith(tail))) return length;
  }
  return 0;
}
