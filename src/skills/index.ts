export { skillErrors } from './errors.ts';
export type { Finding } from './intake/finding.ts';
export { skillRoutes } from './routes.ts';
export { SkillDefinition, skillSchemas } from './schema/skills.ts';
export type { CatalogueSkill, SkillCatalogue, SkillFile, SkillPage, SkillSummary } from './service/catalogue.ts';
export { createSkillService, type SkillService } from './service/skill-service.ts';
