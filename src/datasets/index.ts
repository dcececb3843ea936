export { datasetErrors } from './errors.ts';
export { IMPORT_QUEUE } from './import/import-task.ts';
export { datasetRoutes } from './routes.ts';
export type { Dataset, DatasetRecord } from './schema.ts';
export { createDatasetService, type DatasetService } from './service/dataset-service.ts';
export { conversationOf, type PlacedRecord } from './service/records.ts';
