import type { AnyRoute } from '../kit/http/index.ts';
import { sessionRoutes } from './routes/session.ts';
import type { ConsoleService } from './service.ts';

export function consoleRoutes(console: ConsoleService): AnyRoute[] {
  return [...sessionRoutes(console)];
}
