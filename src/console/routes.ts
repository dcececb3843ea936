import type { AnyRoute } from '../kit/http/index.ts';
import { sessionRoutes } from './routes/session.ts';
import type { ConsoleService } from './service.ts';

export function consoleRoutes(service: ConsoleService): AnyRoute[] {
  return [...sessionRoutes(service)];
}
