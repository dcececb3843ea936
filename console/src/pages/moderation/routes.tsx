import { createLazyRoute } from '@tanstack/react-router';
import { ModerationPage } from './moderation-page.tsx';

export const list = createLazyRoute('/shell/moderation')({ component: ModerationPage });
