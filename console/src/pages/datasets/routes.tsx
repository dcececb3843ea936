import { createLazyRoute } from '@tanstack/react-router';
import { DatasetPage } from './dataset-page.tsx';
import { DatasetsPage } from './datasets-page.tsx';

export const list = createLazyRoute('/shell/datasets')({ component: DatasetsPage });
export const dataset = createLazyRoute('/shell/datasets/$datasetId')({ component: DatasetPage });
