import type { AnyRoute } from '../kit/http/index.ts';
import { keyRoutes } from './routes/keys.ts';
import { modelRoutes } from './routes/models.ts';
import { reportRoutes } from './routes/reports.ts';
import { sessionRoutes } from './routes/session.ts';
import { skillRoutes } from './routes/skills.ts';
import type { ConsoleService } from './service.ts';

export function consoleRoutes(service: ConsoleService): AnyRoute[] {
  return [
    ...sessionRoutes(service),
    ...keyRoutes(service),
    ...reportRoutes(service),
    ...modelRoutes(service),
    ...skillRoutes(service),
  ];
}
