import { defineErrors } from '../kit/http/index.ts';
import { adviseConfiguration } from '../models/index.ts';

export const ocrErrors = defineErrors({
  no_ocr_model: {
    status: 400,
    fix: 'Ask the operator to add one.',
    message: `This server has no model that reads documents. ${adviseConfiguration('ocr')}`,
  },
  model_cannot_read_documents: {
    status: 400,
    when: 'The model does not read documents.',
    fix: 'Choose one whose card has `ocr`.',
    message: (model: string) =>
      `The model '${model}' cannot read documents. Choose one whose card has ocr. ${adviseConfiguration('ocr')}`,
  },
  no_annotation_model: {
    status: 400,
    when: 'An annotation was asked for, and no chat model of this server can write it.',
    fix: 'Leave the annotation out, or ask the operator to add a chat model (with vision for pictures).',
  },
  invalid_document_url: {
    status: 400,
    when: 'The document is neither an http address nor a data address in base64.',
    fix: 'Send one of the two, or a `file_id`.',
  },
  document_fetch_failed: {
    status: 400,
    when: 'The document could not be fetched from its address.',
    fix: 'Check that the address is public and answers 200.',
  },
  document_file_too_large: {
    status: 413,
    when: 'The document is larger than this server takes.',
    fix: 'Send a smaller document.',
    message: (mebibytes: number) => `The document is larger than ${mebibytes} MiB.`,
  },
  invalid_pages: {
    status: 422,
    when: '`pages` is not a list of pages or ranges.',
    fix: 'Send numbers from 0, or ranges such as `0-2`.',
  },
});
