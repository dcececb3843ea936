import type { Clock } from '../kit/base/clock.ts';
import { ApiError } from '../kit/http/index.ts';
import { type Call, type Meter, startRun } from '../metering/index.ts';
import type { OcrPage } from '../models/index.ts';
import { tenantOf } from '../tenants/index.ts';
import { chooseReader, type ReaderModels } from './choose-reader.ts';

export type PageRecognizer = (
  call: Call,
  document: Uint8Array,
  range: { first: number; last: number },
) => Promise<{ pages: RecognizedPage[]; pageCount: number }>;

type RecognizedPage = {
  /** Without its header and footer, which are the margins. */
  markdown: string;
  margins: string[];
  size: { width: number; height: number } | null;
  blocks: { type: string; content: string; x0: number; y0: number; x1: number; y1: number }[] | null;
};

/** Some pages of a document with the places of their blocks, billed as OCR. For rooms that store documents. */
export function createPageRecognizer(ports: { models: ReaderModels; meter: Meter; now: Clock }): PageRecognizer {
  const { models, meter, now } = ports;
  return async (call, document, { first, last }) => {
    const { scope, signal } = call;
    const { model, ocr } = chooseReader(models, scope.workspace_id, null);
    const run = await startRun({ now, meter }, call, { kind: 'ocr', model: model.id, estimatedTokens: 1 });
    try {
      const options = { includeImages: false, extractHeader: true, extractFooter: true, includeBlocks: true };
      const request = { ...options, document, tenant: tenantOf(scope), pages: [[first, last]] as [[number, number]] };
      const { pages, pageCount } = await ocr.read(request, signal, run);
      run.settle(200);
      // Some servers do not say how many there are: then the next pages are asked for while these were complete.
      const isComplete = pages.length === last - first + 1;
      return { pages: pages.map(toPage), pageCount: pageCount ?? first + pages.length + (isComplete ? 1 : 0) };
    } catch (error) {
      const failure = run.fail(error);
      if (first > 0 && error instanceof ApiError && error.code === 'page_out_of_range')
        return { pages: [], pageCount: first };
      throw failure;
    }
  };
}

function toPage({ markdown, header, footer, dimensions, blocks }: OcrPage): RecognizedPage {
  return {
    markdown,
    margins: [header, footer].filter((margin) => margin !== null),
    size: dimensions && { width: dimensions.width, height: dimensions.height },
    blocks:
      blocks?.map(({ type, content, top_left_x, top_left_y, bottom_right_x, bottom_right_y }) => ({
        type,
        content,
        x0: top_left_x,
        y0: top_left_y,
        x1: bottom_right_x,
        y1: bottom_right_y,
      })) ?? null,
  };
}
