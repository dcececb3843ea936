import { createLazyRoute } from '@tanstack/react-router';
import { BatchPage } from './batch-page.tsx';
import { JobPage } from './job-page.tsx';

export const list = createLazyRoute('/shell/batch')({ component: BatchPage });
export const job = createLazyRoute('/shell/batch/$jobId')({ component: JobPage });
