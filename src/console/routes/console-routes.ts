import type { AnyRoute } from '../../kit/http/index.ts';
import type { ConsoleService } from '../service/console-service.ts';
import { accountRoutes } from './account.ts';
import { findingRoutes } from './finding.ts';
import { keyRoutes } from './keys.ts';
import { modelRoutes } from './models.ts';
import { playgroundRoutes } from './playground.ts';
import { reportRoutes } from './reports.ts';
import { serviceAccountRoutes } from './service-accounts.ts';
import { sessionRoutes } from './session.ts';
import { signInRoutes } from './sign-in.ts';
import { skillRoutes } from './skills.ts';

export function consoleRoutes(service: ConsoleService): AnyRoute[] {
  return [
    ...sessionRoutes(service),
    ...signInRoutes(service),
    ...accountRoutes(service),
    ...keyRoutes(service),
    ...serviceAccountRoutes(service),
    ...reportRoutes(service),
    ...modelRoutes(service),
    ...skillRoutes(service),
    ...findingRoutes(service),
    ...playgroundRoutes(service),
  ];
}
