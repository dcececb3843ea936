import { createLazyRoute } from '@tanstack/react-router';
import { CreatePage } from './create-page.tsx';
import { SkillPage } from './skill-page.tsx';
import { SkillsPage } from './skills-page.tsx';

export const list = createLazyRoute('/shell/skills')({ component: SkillsPage });
export const create = createLazyRoute('/shell/skills/new')({ component: CreatePage });
export const one = createLazyRoute('/shell/skills/$skillId')({ component: SkillPage });
