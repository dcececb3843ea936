import { type ApiError, defineErrors, missing } from '../kit/http/index.ts';

export const registryErrors = defineErrors({
  version_selector_ambiguous: {
    status: 400,
    fix: 'Send only one of them.',
    message: 'Send either version or alias, not both: they may name two different versions.',
  },
  sort_parameters_conflict: {
    status: 400,
    when: 'Both spellings of a sort parameter are sent, and they differ.',
    fix: 'Send `sort_by` or `sort.field`, and `sort_direction` or `sort.direction`.',
    message: (name: string, other: string) => `${name} and ${other} differ. Send one of them.`,
  },
});

/** Rows for a room's own table, where its noun goes in front of the codes: `prompt_not_found`. */
export function objectErrors(noun: string) {
  return {
    not_found: missing(noun),
    version_not_found: {
      ...missing(`${noun} version`),
      when: `The ${noun} has no version with this number or alias.`,
      fix: `List the versions of the ${noun}.`,
    },
    changed: {
      status: 412,
      when: `The \`If-Match\` of the request names a state of the ${noun} that is no longer the newest.`,
      fix: `Read the ${noun} again and send the change with its new ETag.`,
      message: `The ${noun} was changed since you read it. Read it again, look at what changed, and send your change with the new ETag.`,
    },
    name_taken: {
      status: 409,
      when: `The user, or for a shared ${noun} the workspace, already has a ${noun} with this name.`,
      fix: `Choose another name, or add a version to the existing ${noun}.`,
      message: (name: string, isShared: boolean) =>
        `${isShared ? 'The workspace already shares' : 'You already have'} a ${noun} named '${name}'. Choose another name, or add a version to that one.`,
    },
    owner_only: {
      status: 403,
      when: `Another user than its owner makes a shared ${noun} private.`,
      fix: 'Ask the owner to do it.',
      message: `Only the owner of a shared ${noun} can make it private again.`,
    },
    read_only: {
      status: 403,
      when: `Another user than its owner or an admin changes a ${noun} that is shared for reading, or who may change it.`,
      fix: 'Ask the owner or an admin of the workspace.',
      message: `Only the owner of this ${noun} and admins of the workspace may do this: it is, or would become, shared for reading only (workspaceRelation 'reader').`,
    },
  } as const;
}

/** What the registry throws for a room. The last three are left out by a room whose objects are always shared. */
export type ObjectErrors = {
  not_found(idOrName: string): ApiError;
  version_not_found(version: string): ApiError;
  changed(): ApiError;
  name_taken?(name: string, isShared: boolean): ApiError;
  owner_only?(): ApiError;
  read_only?(): ApiError;
};
