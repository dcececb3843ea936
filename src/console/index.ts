export { BuildFailed, type BuildNews, buildApp } from './build/build-app.ts';
export { appPlaces } from './build/places.ts';
export { type AppProgress, type ConsoleApp, closedApp, openApp } from './open-app.ts';
export type { Weights } from './pulls.ts';
export { appRoutes } from './routes/app.ts';
export { consoleRoutes } from './routes.ts';
export type { PromptUses } from './schema/prompts.ts';
export type { SkillUses } from './schema/skills.ts';
export { type ConsoleService, createConsoleService } from './service.ts';
