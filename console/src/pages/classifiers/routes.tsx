import { createLazyRoute } from '@tanstack/react-router';
import { ClassifiersPage } from './classifiers-page.tsx';

export const list = createLazyRoute('/shell/classifiers')({ component: ClassifiersPage });
