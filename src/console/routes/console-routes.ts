import type { AnyRoute } from '../../kit/http/index.ts';
import type { ConsoleService } from '../service/console-service.ts';
import { keyRoutes } from './keys.ts';
import { modelRoutes } from './models.ts';
import { reportRoutes } from './reports.ts';
import { sessionRoutes } from './session.ts';
import { skillRoutes } from './skills.ts';

export function consoleRoutes(service: ConsoleService): AnyRoute[] {
  return [
    ...sessionRoutes(service),
    ...keyRoutes(service),
    ...reportRoutes(service),
    ...modelRoutes(service),
    ...skillRoutes(service),
  ];
}
