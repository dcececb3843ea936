import { cleanText } from './clean-text.ts';
import { type Run, splitScripts } from './split-scripts.ts';
import { type Lengths, splitSentences } from './split-sentences.ts';

/** The text to speak, a sentence or so at a time, each as runs of one language. A text without words yields nothing. */
export function* planSpeech(text: string, language: string, lengths: Lengths): Generator<Run[], void> {
  for (const piece of splitSentences(text, lengths)) {
    const clean = cleanText(piece, language);
    if (clean !== '') yield splitScripts(clean, language);
  }
}
