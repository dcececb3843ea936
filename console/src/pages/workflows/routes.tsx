import { createLazyRoute } from '@tanstack/react-router';
import { ExecutionPage } from './execution-page.tsx';
import { ExecutionsPage } from './executions-page.tsx';
import { SchedulePage } from './schedule-page.tsx';
import { SchedulesPage } from './schedules-page.tsx';
import { WorkflowPage } from './workflow-page.tsx';
import { WorkflowsPage } from './workflows-page.tsx';

export const list = createLazyRoute('/shell/workflows')({ component: WorkflowsPage });
export const workflow = createLazyRoute('/shell/workflows/$name')({ component: WorkflowPage });
export const executions = createLazyRoute('/shell/workflows/executions')({ component: ExecutionsPage });
export const execution = createLazyRoute('/shell/workflows/executions/$executionId')({ component: ExecutionPage });
export const schedules = createLazyRoute('/shell/workflows/schedules')({ component: SchedulesPage });
export const schedule = createLazyRoute('/shell/workflows/schedules/$scheduleId')({ component: SchedulePage });
