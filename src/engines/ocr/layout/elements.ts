import type { Box } from './geometry.ts';

/** What was found on a page, before it is grouped. */
export type Word = {
  text: string;
  box: Box;
  /** The size of its letters in pixels of the page. */
  size: number;
  isBold: boolean;
  isMono: boolean;
  isMath: boolean;
  /** Written across the page's own direction. */
  isTurned: boolean;
  /** From 0 to 1. */
  confidence: number;
};

export type Rule = { isHorizontal: boolean; box: Box };

export type PageContent = {
  width: number;
  height: number;
  words: Word[];
  rules: Rule[];
  pictures: Box[];
  /** Letters were measured from an image, so sizes are a little off. */
  isScan: boolean;
};

/** Words side by side that read on. */
export type Line = { words: Word[]; box: Box; size: number };

export type Cell = { lines: Line[]; columns: number };
export type Table = { box: Box; rows: (Cell | undefined)[][] };

export type BlockType =
  | 'text'
  | 'title'
  | 'list'
  | 'table'
  | 'image'
  | 'caption'
  | 'code'
  | 'equation'
  | 'references'
  | 'aside_text'
  | 'header'
  | 'footer';

/** A piece of the page in reading order. */
export type Block = {
  type: BlockType;
  box: Box;
  /** One, or one for each item of a list, which has its marker instead of the word that was it. */
  paragraphs: { lines: Line[]; marker?: string }[];
  /** Of a title: 1 is the largest. */
  level?: number;
  table?: Table;
};
