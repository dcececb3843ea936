export { objectErrors, registryErrors } from './errors.ts';
export { parseListQuery } from './parse-list-query.ts';
export { pickFields } from './pick-fields.ts';
export type { Rendered } from './rendered-cache.ts';
export {
  Aliases,
  AliasName,
  createVersionRequest,
  etagOf,
  fieldsQuery,
  LATEST,
  listQuery,
  Notes,
  objectFields,
  RegistrySharingScope,
  responsesOf,
  type Selector,
  type Sharing,
  type Snapshot,
  selectorQuery,
  storedText,
  toSharing,
  toVersionChanges,
  UpdateVersionRequest,
  VersionNumber,
  type VersionSnapshot,
  type Viewer,
  versionFields,
} from './schema.ts';
export { createRegistry, type Registry } from './service/registry-service.ts';
export { showAliasMoves, showObject, showPage, showVersion } from './show-object.ts';
export { replyWithHistory, replyWithObject, sendWithHeaders, type WithHeaders } from './write-reply.ts';
