export { fileErrors } from './errors.ts';
export { fileRoutes } from './routes.ts';
export { type FileSchema, SignedQuery } from './schema.ts';
export { createFileService, type FileService, type NewFile, type OpenFile } from './service.ts';
export { isSigned, signDownload } from './sign-url.ts';
export { findNewestContent } from './store.ts';
