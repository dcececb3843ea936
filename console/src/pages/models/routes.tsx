import { createLazyRoute } from '@tanstack/react-router';
import { ModelPage } from './model-page.tsx';
import { ModelsPage } from './models-page.tsx';

export const list = createLazyRoute('/shell/models')({ component: ModelsPage });
export const model = createLazyRoute('/shell/models/$modelId')({ component: ModelPage });
