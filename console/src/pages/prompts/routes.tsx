import { createLazyRoute } from '@tanstack/react-router';
import { PromptPage } from './prompt-page.tsx';
import { PromptsPage } from './prompts-page.tsx';

export const list = createLazyRoute('/shell/prompts')({ component: PromptsPage });
export const one = createLazyRoute('/shell/prompts/$promptId')({ component: PromptPage });
