export { modelSettingsErrors } from './errors.ts';
export { presets } from './presets.ts';
export { modelSettingsRoutes } from './routes.ts';
export { type ManagedModel, ModelSettings, type StoredSettings } from './schema.ts';
export { resealModelKeys, type TargetKeys } from './seal-keys.ts';
export { createModelSettingsService, type ModelSettingsService } from './service.ts';
