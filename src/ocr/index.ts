export { createDocumentReader } from './document-reader.ts';
export { ocrErrors } from './errors.ts';
export { ocrRoutes } from './routes.ts';
export { createOcrService, type OcrService } from './service.ts';
