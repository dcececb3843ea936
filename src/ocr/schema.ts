import { z } from 'zod';
import { DocumentURLChunk, FileChunk, ImageURLChunk, ResponseFormat } from '../chat/index.ts';
import { limitedText, limitUnion } from '../kit/http/index.ts';

/** Numbers of pages, or characters of their ranges. */
const PAGES_MAX = 10_000;
const ANNOTATION_FORMAT = 'an annotation needs the type json_schema and its json_schema';

const AnnotationFormat = ResponseFormat.refine(
  ({ type, json_schema }) => type === 'json_schema' && json_schema !== null && json_schema !== undefined,
  ANNOTATION_FORMAT,
);

export const OCRRequest = z
  .strictObject({
    model: z.string().max(512).nullable(),
    document: z.union([FileChunk, DocumentURLChunk, ImageURLChunk]),
    /** From 0: numbers, or ranges such as `0-2,5`. */
    pages: limitUnion(z.union([limitedText(PAGES_MAX), z.array(z.int()).meta({ maxItems: PAGES_MAX })]), {
      characters: PAGES_MAX,
      items: PAGES_MAX,
    })
      .nullable()
      .optional(),
    include_image_base64: z.boolean().nullable().optional(),
    image_limit: z.int().nullable().optional(),
    image_min_size: z.int().nullable().optional(),
    bbox_annotation_format: AnnotationFormat.nullable().optional(),
    document_annotation_format: AnnotationFormat.nullable().optional(),
    document_annotation_prompt: z
      .string()
      .max(256 * 1024)
      .nullable()
      .optional(),
    table_format: z.enum(['markdown', 'html']).nullable().optional(),
    extract_header: z.boolean().default(false),
    extract_footer: z.boolean().default(false),
    include_blocks: z.boolean().default(true),
    confidence_scores_granularity: z.enum(['word', 'page', 'block']).nullable().optional(),
  })
  .meta({ id: 'OCRRequest' });
export type OCRRequest = z.infer<typeof OCRRequest>;

const score = z.number().min(0).max(1);
const pixels = z.int().min(0);

const OCRConfidenceScore = z
  .object({ text: z.string(), confidence: score, start_index: pixels })
  .meta({ id: 'OCRConfidenceScore' });

const OCRPageConfidenceScores = z
  .object({
    word_confidence_scores: z.array(OCRConfidenceScore).optional(),
    average_page_confidence_score: score,
    minimum_page_confidence_score: score,
  })
  .meta({ id: 'OCRPageConfidenceScores' });

const OCRBlockConfidenceScores = z
  .object({
    average_content_confidence_score: score.nullable().optional(),
    minimum_content_confidence_score: score.nullable().optional(),
    block_type_confidence_score: score.nullable().optional(),
  })
  .meta({ id: 'OCRBlockConfidenceScores' });

const OCRImageObject = z
  .object({
    id: z.string(),
    top_left_x: pixels.nullable(),
    top_left_y: pixels.nullable(),
    bottom_right_x: pixels.nullable(),
    bottom_right_y: pixels.nullable(),
    image_base64: z.string().nullable().optional(),
    image_annotation: z.string().nullable().optional(),
  })
  .meta({ id: 'OCRImageObject' });

const OCRTableObject = z
  .object({
    id: z.string(),
    content: z.string(),
    format: z.enum(['markdown', 'html']),
    word_confidence_scores: z.array(OCRConfidenceScore).nullable().optional(),
  })
  .meta({ id: 'OCRTableObject' });

const OCRPageDimensions = z.object({ dpi: pixels, height: pixels, width: pixels }).meta({ id: 'OCRPageDimensions' });

const blockFields = {
  top_left_x: pixels,
  top_left_y: pixels,
  bottom_right_x: pixels,
  bottom_right_y: pixels,
  content: z.string(),
  confidence_scores: OCRBlockConfidenceScores.nullable().optional(),
};

const blockOf = <T extends string>(type: T, id: string) =>
  z.object({ ...blockFields, type: z.literal(type).default(type as never) }).meta({ id });

const OCRBlock = z.discriminatedUnion('type', [
  blockOf('text', 'OCRTextBlock'),
  blockOf('list', 'OCRListBlock'),
  z
    .object({ ...blockFields, type: z.literal('image').default('image'), image_id: z.string() })
    .meta({ id: 'OCRImageBlock' }),
  z
    .object({ ...blockFields, type: z.literal('table').default('table'), table_id: z.string().nullable().optional() })
    .meta({ id: 'OCRTableBlock' }),
  blockOf('title', 'OCRTitleBlock'),
  blockOf('equation', 'OCREquationBlock'),
  blockOf('caption', 'OCRCaptionBlock'),
  blockOf('code', 'OCRCodeBlock'),
  blockOf('references', 'OCRReferencesBlock'),
  blockOf('aside_text', 'OCRAsideTextBlock'),
  blockOf('header', 'OCRHeaderBlock'),
  blockOf('footer', 'OCRFooterBlock'),
  blockOf('signature', 'OCRSignatureBlock'),
]);

const OCRPageObject = z
  .object({
    index: pixels,
    markdown: z.string(),
    images: z.array(OCRImageObject),
    tables: z.array(OCRTableObject).optional(),
    hyperlinks: z.array(z.string()).optional(),
    header: z.string().nullable().optional(),
    footer: z.string().nullable().optional(),
    dimensions: OCRPageDimensions.nullable(),
    confidence_scores: OCRPageConfidenceScores.nullable().optional(),
    blocks: z.array(OCRBlock).nullable().optional(),
  })
  .meta({ id: 'OCRPageObject' });

const OCRUsageInfo = z
  .object({ pages_processed: pixels, doc_size_bytes: z.int().nullable().optional() })
  .meta({ id: 'OCRUsageInfo' });

export const OCRResponse = z
  .object({
    pages: z.array(OCRPageObject),
    model: z.string(),
    document_annotation: z.string().nullable().optional(),
    usage_info: OCRUsageInfo,
  })
  .meta({ id: 'OCRResponse' });
export type OCRResponse = z.infer<typeof OCRResponse>;
