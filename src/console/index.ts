export { appPaths } from './app/build/app-paths.ts';
export { BuildFailed, type BuildProgress, buildApp, findBuilt } from './app/build/build-app.ts';
export { type AppProgress, type ConsoleApp, closedApp, openApp } from './app/open-app.ts';
export { consoleErrors } from './errors.ts';
export { appRoutes } from './routes/app.ts';
export { consoleRoutes } from './routes/console-routes.ts';
export { type ConsolePorts, type ConsoleService, createConsoleService } from './service/console-service.ts';
export type { Weights } from './service/pulls.ts';
