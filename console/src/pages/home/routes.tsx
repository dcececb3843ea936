import { createLazyRoute } from '@tanstack/react-router';
import { HomePage } from './home-page.tsx';

export const home = createLazyRoute('/shell/')({ component: HomePage });
