import { describe, expect, it } from 'vitest';
import { createTextFeed } from './text-feed.ts';

/** What the feed gives while the pieces come one by one, and what at the end. */
async function feed(pieces: (string | null)[], isLongForm = false): Promise<string[]> {
  const texts: string[] = [];
  const made = createTextFeed(() => isLongForm);
  const reading = (async () => {
    for await (const text of made.texts()) texts.push(text);
  })();
  for (const piece of pieces) {
    if (piece === null) made.flush();
    else await made.append(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  made.end();
  await reading;
  return texts;
}

describe('text that arrives in pieces', () => {
  it('is given sentence by sentence, as soon as each has ended', async () => {
    expect(await feed(['Good mor', 'ning. How ', 'are you? “Fine.” Th', 'anks'])).toEqual([
      'Good morning. ',
      'How are you? “Fine.” ',
      'Thanks',
    ]);
  });

  it('is given at once where it is flushed', async () => {
    expect(await feed(['One two', null, ' three', null])).toEqual(['One two', ' three']);
  });

  it('ends a sentence without a space in scripts that have none, and at a line', async () => {
    expect(await feed(['今日は。', '元気です', 'か？ ', 'A title\nText'])).toEqual([
      '今日は。',
      '元気ですか？',
      ' A title\n',
      'Text',
    ]);
  });

  it('is given in longer stretches in the long form', async () => {
    const sentence = 'This is a sentence of some length, which goes on for a while. ';
    const texts = await feed(Array(8).fill(sentence) as string[], true);
    expect(texts.join('')).toBe(sentence.repeat(8));
    expect(texts.length).toBe(2);
  });

  it('that never ends a sentence is cut at a word', async () => {
    const texts = await feed([`${'word '.repeat(99)}wo`, 'rd']);
    expect(texts[0]).toBe('word '.repeat(99));
    expect(texts.join('')).toBe(`${'word '.repeat(100)}`.trimEnd());
  });

  it('is nothing where it has no words', async () => {
    expect(await feed([' ', '\n', null, '  '])).toEqual([]);
  });

  it('makes the writer wait while much of it is not taken', async () => {
    const made = createTextFeed(() => false);
    let isTaken = false;
    const appended = made.append('A long story. '.repeat(400)).then(() => {
      isTaken = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isTaken).toBe(false);
    await made.texts().next();
    await appended;
  });
});
