import { type AnyRoute, route } from '../kit/http/index.ts';
import { OCRRequest, OCRResponse } from './schema.ts';
import type { OcrService } from './service.ts';

const MEBIBYTE = 1024 * 1024;
/** A document of 50 MiB as base64, and room for the words around it; larger ones are uploaded first. */
const BODY_BYTES_MAX = 68 * MEBIBYTE;

export function ocrRoutes(ocr: OcrService): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/v1/ocr',
      operationId: 'ocr_v1_ocr_post',
      summary: 'Read a document: its text as Markdown, tables, pictures and where everything stands',
      tags: ['ocr'],
      permission: 'ocr:write',
      bodyBytesMax: BODY_BYTES_MAX,
      body: OCRRequest,
      response: OCRResponse,
      alsoAnswers: [502, 504],
      handler: (context) => ocr.read(context, context.body),
    }),
  ];
}
