export { createDocumentReader } from './document-reader.ts';
export { ocrErrors } from './errors.ts';
export { createPageRecognizer } from './page-recognizer.ts';
export { ocrRoutes } from './routes.ts';
export { createOcrService, type OcrService } from './service.ts';
