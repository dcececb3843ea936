import { refuseExpensiveSchemas } from '../chat/index.ts';
import type { Clock } from '../kit/base/clock.ts';
import { type Call, type Meter, startRun } from '../metering/index.ts';
import { deprecationHeaders, type OcrPage, type OcrRequest } from '../models/index.ts';
import { tenantOf } from '../tenants/index.ts';
import { type Annotating, type Annotator, createAnnotator } from './annotate.ts';
import { chooseReader } from './choose-reader.ts';
import { type FetchPorts, fetchDocument } from './fetch-document.ts';
import { parsePages } from './parse-pages.ts';
import type { OCRRequest, OCRResponse } from './schema.ts';

export type OcrService = {
  read(call: Call, request: OCRRequest): Promise<OCRResponse>;
};

export type OcrPorts = FetchPorts & {
  models: Annotating['models'];
  chat: Annotating['chat'];
  annotationModel?: string | undefined;
  meter: Meter;
  now: Clock;
};

export function createOcrService(ports: OcrPorts): OcrService {
  const { models, chat, annotationModel, meter, now } = ports;
  return {
    async read(call, request) {
      const { scope, signal, setHeader } = call;
      const { model, ocr } = chooseReader(models, scope.workspace_id, request.model);
      const options = toOptions(request);
      const annotator = annotatorOf(request, call);
      for (const [name, value] of Object.entries(deprecationHeaders(model))) setHeader(name, value);
      const run = await startRun({ now, meter }, call, { kind: 'ocr', model: model.id, estimatedTokens: 1 });
      try {
        refuseExpensiveSchemas([], formatsOf(request));
        const document = await fetchDocument(ports, scope, request.document, signal);
        // The ledger counts pages where models that write count tokens.
        const { pages, pageCount } = await ocr.read({ ...options, document, tenant: tenantOf(scope) }, signal, run);
        if (pageCount !== undefined) setHeader('tramontane-document-pages', String(pageCount));
        const annotated = await annotate(annotator, pages, request);
        run.settle(200);
        return {
          ...annotated,
          model: model.id,
          usage_info: { pages_processed: pages.length, doc_size_bytes: document.length },
        };
      } catch (error) {
        throw run.fail(error);
      }
    },
  };

  function annotatorOf(request: OCRRequest, call: Call): Annotator | undefined {
    const { bbox_annotation_format: ofPictures, document_annotation_format: ofDocument } = request;
    if (!ofPictures && !ofDocument) return undefined;
    return createAnnotator({ chat, models, model: annotationModel }, call, Boolean(ofPictures));
  }
}

/** Before the document is read, which takes much longer. */
function formatsOf({ bbox_annotation_format, document_annotation_format }: OCRRequest) {
  return [
    { format: bbox_annotation_format, at: ['body', 'bbox_annotation_format'] },
    { format: document_annotation_format, at: ['body', 'document_annotation_format'] },
  ];
}

async function annotate(
  annotator: Annotator | undefined,
  pages: OcrPage[],
  request: OCRRequest,
): Promise<Pick<OCRResponse, 'pages' | 'document_annotation'>> {
  const { bbox_annotation_format, document_annotation_format, document_annotation_prompt } = request;
  const ofPictures = bbox_annotation_format && (await annotator?.pictures(pages, bbox_annotation_format));
  const ofDocument =
    document_annotation_format &&
    (await annotator?.document(pages, document_annotation_format, document_annotation_prompt));
  return {
    pages: pages.map((page) => ({
      ...page,
      images: page.images.map((image) => ({
        ...image,
        image_base64: request.include_image_base64 ? image.image_base64 : null,
        image_annotation: ofPictures?.get(image.id) ?? null,
      })),
    })) as OCRResponse['pages'],
    document_annotation: ofDocument ?? null,
  };
}

function toOptions(request: OCRRequest): Omit<OcrRequest, 'document'> {
  const { pages, image_limit, image_min_size, table_format, confidence_scores_granularity: confidence } = request;
  return {
    ...(pages !== null && pages !== undefined && { pages: parsePages(pages) }),
    ...(image_limit !== null && image_limit !== undefined && { imageLimit: image_limit }),
    ...(image_min_size !== null && image_min_size !== undefined && { imageMinSize: image_min_size }),
    ...(table_format && { tableFormat: table_format }),
    ...(confidence && { confidence }),
    includeImages: Boolean(request.include_image_base64 || request.bbox_annotation_format),
    extractHeader: request.extract_header,
    extractFooter: request.extract_footer,
    includeBlocks: request.include_blocks,
  };
}
