import type { Tenant } from '../../kit/fair-queue/index.ts';
import type { Tally } from '../tally.ts';

/** What engines that read documents offer. Names of the answer are those of the wire, so nothing is translated. */
export type OcrEngine = {
  /** Pages in the order in which they were asked for. The tally counts pages as tokens of the prompt. */
  read(request: OcrRequest, signal: AbortSignal, tally?: Tally): Promise<OcrResult>;
};

export type OcrRequest = {
  /** Who asks, for engines that let tenants take turns. */
  tenant?: Tenant;
  document: Uint8Array;
  /** First and last page of each part, from 0; all pages if left out. */
  pages?: PageRange[];
  /** Whether the pictures themselves are wanted, and not only where they are. */
  includeImages: boolean;
  imageLimit?: number;
  /** The least width and height of a picture in pixels. */
  imageMinSize?: number;
  /** Tables of their own, in this format; without it they stand in the Markdown. */
  tableFormat?: 'markdown' | 'html';
  extractHeader: boolean;
  extractFooter: boolean;
  includeBlocks: boolean;
  confidence?: 'word' | 'page' | 'block';
};

export type PageRange = [first: number, last: number];

export type OcrResult = {
  pages: OcrPage[];
  /** All pages of the document, where that is known. */
  pageCount?: number;
};

export type OcrConfidence = { text: string; confidence: number; start_index: number };

type OcrBox = { top_left_x: number; top_left_y: number; bottom_right_x: number; bottom_right_y: number };

export type OcrImage = OcrBox & { id: string; image_base64: string | null };

export type OcrTable = {
  id: string;
  content: string;
  format: 'markdown' | 'html';
  word_confidence_scores: OcrConfidence[] | null;
};

export type OcrBlockType =
  | 'text'
  | 'list'
  | 'image'
  | 'table'
  | 'title'
  | 'equation'
  | 'caption'
  | 'code'
  | 'references'
  | 'aside_text'
  | 'header'
  | 'footer'
  | 'signature';

export type OcrBlock = OcrBox & {
  type: OcrBlockType;
  content: string;
  /** Of the picture or the table. */
  image_id?: string | null;
  table_id?: string | null;
  confidence_scores: {
    average_content_confidence_score: number | null;
    minimum_content_confidence_score: number | null;
    block_type_confidence_score: number | null;
  } | null;
};

export type OcrPage = {
  index: number;
  markdown: string;
  images: OcrImage[];
  tables: OcrTable[];
  hyperlinks: string[];
  header: string | null;
  footer: string | null;
  dimensions: { dpi: number; height: number; width: number } | null;
  confidence_scores: {
    average_page_confidence_score: number;
    minimum_page_confidence_score: number;
    word_confidence_scores?: OcrConfidence[];
  } | null;
  blocks: OcrBlock[] | null;
};
