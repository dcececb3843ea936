/** Text that waits to be spoken; more is not read meanwhile. */
const WAITING_CHARACTERS_MAX = 4000;
/** A stretch without the end of a sentence is spoken up to its last word. */
const STRETCH_CHARACTERS_MAX = 400;
/** A long form waits for so much, so that the voice has a whole thought to read. */
const LONG_FORM_CHARACTERS = 200;
/** The end of a sentence: a mark with what closes it and a space, a mark of a script without spaces, or a line. */
const SENTENCE_END = /[.!?…]["'”’»)\]]*\s|[。！？｡]|\n/g;

export type TextFeed = {
  /** Resolves when more may come. */
  append(text: string): Promise<void>;
  /** What is there is spoken without waiting for the end of its sentence. */
  flush(): void;
  /** No more comes. */
  end(): void;
  /** Texts in order, each of whole sentences as far as the feed can tell. */
  texts(): AsyncGenerator<string>;
};

/** Cuts text that arrives in any pieces into what can be spoken already. */
export function createTextFeed(isLongForm: () => boolean): TextFeed {
  let waiting = '';
  let flushed = 0;
  let isOver = false;
  let wake: (() => void) | undefined;
  let wakeWriter: (() => void) | undefined;

  /** How many characters can be spoken now. */
  function ready(): number {
    if (isOver) return waiting.length;
    if (flushed > 0) return flushed;
    const least = isLongForm() ? LONG_FORM_CHARACTERS : 1;
    let end = 0;
    for (const match of waiting.matchAll(SENTENCE_END)) end = match.index + match[0].length;
    if (end >= least) return end;
    if (waiting.length < Math.max(STRETCH_CHARACTERS_MAX, least)) return 0;
    return Math.max(waiting.lastIndexOf(' ') + 1, 0) || waiting.length;
  }

  function take(characters: number): string {
    const text = waiting.slice(0, characters);
    waiting = waiting.slice(characters);
    flushed = Math.max(0, flushed - characters);
    wakeWriter?.();
    return text;
  }

  return {
    async append(text) {
      waiting += text;
      wake?.();
      while (waiting.length > WAITING_CHARACTERS_MAX && !isOver)
        await new Promise<void>((resolve) => {
          wakeWriter = resolve;
        });
    },
    flush() {
      flushed = waiting.length;
      wake?.();
    },
    end() {
      isOver = true;
      wake?.();
      wakeWriter?.();
    },
    async *texts() {
      for (;;) {
        const characters = ready();
        if (characters > 0) {
          const text = take(characters);
          if (text.trim() !== '') yield text;
        } else if (isOver) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
