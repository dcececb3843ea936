export { objectErrors, registryErrors } from './errors.ts';
export { pickFields } from './pick-fields.ts';
export type { Rendered } from './rendered-cache.ts';
export { objectRoutes } from './routes.ts';
export {
  Aliases,
  AliasName,
  etagOf,
  LATEST,
  objectSchemas,
  type Selector,
  type Sharing,
  type Snapshot,
  storedText,
  Timestamp,
  VersionNumber,
  type VersionSnapshot,
  type Viewer,
} from './schema.ts';
export { createObjectService, type ObjectService } from './service/object-service.ts';
export { createRegistry, type Registry } from './service/registry-service.ts';
export { showObject } from './show-object.ts';
export { replyWithObject } from './write-reply.ts';
