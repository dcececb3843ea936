import { createLazyRoute } from '@tanstack/react-router';
import { FilesPage } from './files-page.tsx';

export const list = createLazyRoute('/shell/files')({ component: FilesPage });
