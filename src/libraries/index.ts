export { libraryErrors } from './errors.ts';
export type { DocumentIndex, ReadingPorts, SearchIndex } from './ports.ts';
export { libraryRoutes } from './routes.ts';
export { createLibraryService, type LibraryService } from './service/library-service.ts';
