import { createLazyRoute } from '@tanstack/react-router';
import { JudgesPage } from './judges-page.tsx';

export const list = createLazyRoute('/shell/judges')({ component: JudgesPage });
