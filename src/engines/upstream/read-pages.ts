import { z } from 'zod';
import { engineErrors } from '../errors.ts';
import type { OcrResult } from '../ocr/ocr-engine.ts';

const corner = z.int().min(0);
const score = z.number().min(0).max(1);
const word = z.object({ text: z.string(), confidence: score, start_index: z.int().min(0) });

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
  blocks: z
    .array(z.looseObject({ type: z.string(), content: z.string() }))
    .nullable()
    .default(null),
});

export function readPages(body: object): OcrResult {
  const { data } = z.object({ pages: z.array(WirePage) }).safeParse(body);
  if (!data) throw engineErrors.upstream_invalid_response();
  return { pages: data.pages as OcrResult['pages'] };
}
