import { createLazyRoute } from '@tanstack/react-router';
import './moderation.css';
import { ModerationPage } from './moderation-page.tsx';

export const list = createLazyRoute('/shell/moderation')({ component: ModerationPage });
