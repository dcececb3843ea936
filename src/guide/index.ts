export { type GuidePaths, guidePaths } from './guide-paths.ts';
export { type Guide, openGuide } from './open-guide.ts';
export { guideRoutes } from './routes.ts';
