export { consoleRoutes } from './routes.ts';
export { type ConsoleService, createConsoleService } from './service.ts';
