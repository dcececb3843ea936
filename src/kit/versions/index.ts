export { answerHistory, answerObject, showAliasMoves } from './answer.ts';
export { canonicalJson, digestOf } from './canonical-json.ts';
export type { NewObject, NewVersion, ObjectChanges, VersionChanges } from './change.ts';
export type { Change, VersionsOptions } from './core.ts';
export { pickFields, showsField } from './pick-fields.ts';
export type { Selector } from './read-store.ts';
export type { Rendered } from './rendered-cache.ts';
export {
  Aliases,
  AliasList,
  fieldsQuery,
  listQuery,
  Notes,
  RegistrySharingScope,
  selectorQuery,
  storedText,
  Timestamp,
  toSharing,
  VersionNumber,
} from './schema.ts';
export type { Sharing, Snapshot, VersionSnapshot, Viewer } from './snapshot.ts';
export { orderOf } from './sort-order.ts';
export { createVersions, type Versions } from './versions.ts';
