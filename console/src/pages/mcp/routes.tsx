import { createLazyRoute } from '@tanstack/react-router';
import { McpPage } from './mcp-page.tsx';

export const list = createLazyRoute('/shell/mcp')({ component: McpPage });
