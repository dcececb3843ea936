import { requirementsOf } from './requirement.ts';

export const ocrRequirements = requirementsOf('ocr', {
  'behaviour: OCR': {
    'OCR-READ': 'POST /v1/ocr answers pages with index, markdown, images and dimensions, the model and usage_info',
    'OCR-DOCUMENT': 'the document is a file id, a document_url or an image_url, an address or a data address',
    'OCR-PAGES': 'pages is a list or a range string, counted from 0; a page that is not there is refused',
    'OCR-BLOCKS': 'include_blocks is true unless it says otherwise; a block has a type, a box and its content',
    'OCR-TABLES': 'table_format markdown or html takes tables out of the markdown; without it they stand in it',
    'OCR-MARGINS': 'extract_header and extract_footer take header and footer out of the markdown',
    'OCR-CONFIDENCE': 'confidence_scores_granularity is word, page or block; without it there are no scores',
    'OCR-IMAGES': 'include_image_base64, image_limit and image_min_size say which pictures are in the answer',
    'OCR-ANNOTATIONS':
      'bbox_annotation_format and document_annotation_format take only json_schema and are answered as JSON text',
    'OCR-USAGE': 'usage_info and the ledger count the pages that were read',
    'OCR-BATCH': 'a batch job of the endpoint /v1/ocr reads documents',
  },
});
