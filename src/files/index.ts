export { fileErrors } from './errors.ts';
export { fileRoutes } from './routes.ts';
export { FilePurpose, type FileSchema, SampleType, SignedQuery } from './schema.ts';
export { createFileService, type FileService, type NewFile, type OpenFile } from './service.ts';
export { isSigned, signDownload } from './sign-url.ts';
export { type FileFilter, findNewestContent } from './store.ts';
