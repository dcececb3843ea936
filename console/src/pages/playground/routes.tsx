import { createLazyRoute } from '@tanstack/react-router';
import { PlaygroundPage } from './playground-page.tsx';

export const list = createLazyRoute('/shell/playground')({ component: PlaygroundPage });
