import { z } from 'zod';
import { engineErrors } from '../errors.ts';
import type { OcrBlockType, OcrResult } from '../ocr/ocr-engine.ts';

const corner = z.int().min(0);
const score = z.number().min(0).max(1);
const word = z.object({ text: z.string(), confidence: score, start_index: z.int().min(0) });

const BLOCK_TYPES = [
  'text',
  'list',
  'image',
  'table',
  'title',
  'equation',
  'caption',
  'code',
  'references',
  'aside_text',
  'header',
  'footer',
  'signature',
] as const satisfies OcrBlockType[];

const blockScore = score.nullable().default(null);

const WireBlock = z
  .object({
    type: z.enum(BLOCK_TYPES),
    content: z.string(),
    top_left_x: corner,
    top_left_y: corner,
    bottom_right_x: corner,
    bottom_right_y: corner,
    image_id: z.string().nullable().optional(),
    table_id: z.string().nullable().optional(),
    confidence_scores: z
      .object({
        average_content_confidence_score: blockScore,
        minimum_content_confidence_score: blockScore,
        block_type_confidence_score: blockScore,
      })
      .nullable()
      .default(null),
  })
  .refine(({ type, image_id }) => type !== 'image' || typeof image_id === 'string');

/** Types that a newer server has are left out: the markdown has their text. */
const WireBlocks = z
  .array(z.looseObject({ type: z.string() }))
  .transform((blocks) => blocks.filter(({ type }) => (BLOCK_TYPES as readonly string[]).includes(type)))
  .pipe(z.array(WireBlock));

/** What a server that reads less leaves out is filled in as nothing. */
const WirePage = z.object({
  index: z.int().min(0),
  markdown: z.string(),
  images: z
    .array(
      z.object({
        id: z.string(),
        top_left_x: corner.nullable().default(null),
        top_left_y: corner.nullable().default(null),
        bottom_right_x: corner.nullable().default(null),
        bottom_right_y: corner.nullable().default(null),
        image_base64: z.string().nullable().default(null),
      }),
    )
    .default([]),
  tables: z
    .array(
      z.object({
        id: z.string(),
        content: z.string(),
        format: z.enum(['markdown', 'html']),
        word_confidence_scores: z.array(word).nullable().default(null),
      }),
    )
    .default([]),
  hyperlinks: z.array(z.string()).default([]),
  header: z.string().nullable().default(null),
  footer: z.string().nullable().default(null),
  dimensions: z.object({ dpi: corner, height: corner, width: corner }).nullable().default(null),
  confidence_scores: z
    .object({
      average_page_confidence_score: score,
      minimum_page_confidence_score: score,
      word_confidence_scores: z.array(word).optional(),
    })
    .nullable()
    .default(null),
  blocks: WireBlocks.nullable().default(null),
});

/** Pages are what documents are billed by. */
const PAGES_MAX = 10_000;

const WirePages = z.object({ pages: z.array(WirePage).max(PAGES_MAX) });

export function readPages(body: object): OcrResult {
  const { data } = WirePages.safeParse(body);
  if (!data) throw engineErrors.upstream_invalid_response();
  return { pages: data.pages as OcrResult['pages'] };
}
