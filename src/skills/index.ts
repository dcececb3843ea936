export type { CatalogueSkill, SkillCatalogue, SkillFile, SkillPage, SkillSummary } from './catalogue.ts';
export type { Finding } from './intake/finding.ts';
export { skillRoutes } from './routes.ts';
export { CreateSkillRequest, CreateSkillVersionRequest, SkillDefinition } from './schema.ts';
export { createSkillService, type SkillService } from './service.ts';
