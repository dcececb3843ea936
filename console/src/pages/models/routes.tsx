import { createLazyRoute } from '@tanstack/react-router';
import './models.css';
import { ModelsPage } from './models-page.tsx';

export const list = createLazyRoute('/shell/models')({ component: ModelsPage });
