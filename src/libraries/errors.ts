import { defineErrors, missing } from '../kit/http/index.ts';

export const libraryErrors = defineErrors({
  library_not_found: missing('library'),
  document_not_found: missing('document'),
  library_access_denied: {
    status: 403,
    when: 'The library is shared with you, and its level does not allow this.',
    fix: 'Ask the owner for the level Editor; only owners share and delete a library.',
    message: (needed: string) => `This needs the level ${needed} of the library. Ask its owner.`,
  },
  share_target_not_found: {
    status: 404,
    when: 'A library is to be shared with a user, workspace or organization that is not in its organization.',
    fix: 'Check the id and its type. A library cannot be shared outside of its organization.',
    message: (type: string, id: string) =>
      `No ${type} '${id}' is in the organization of the library. A library cannot be shared outside of it.`,
  },
  share_not_found: {
    status: 404,
    fix: 'List what there is: `GET /v1/libraries/{library_id}/share`.',
    message: 'The library is not shared with this entity.',
  },
  owner_role_fixed: {
    status: 400,
    fix: 'Share with others; the owner has every right already.',
    message: 'The owner of a library cannot get another role.',
  },
  document_not_read: {
    status: 409,
    when: 'The text of a document is asked for that is still being read, or could not be read.',
    fix: 'Wait until its status is `done`; if it is `error`, the message says why.',
  },
  document_link_invalid: {
    status: 403,
    fix: 'Ask for a new link; it holds for 30 minutes.',
    message: 'This link is not valid or has expired. Ask for a new one.',
  },
  document_content_missing: {
    status: 500,
    fix: 'Report the request id to the operator, who restores the file from a backup or shares the data dir between servers.',
    message: 'The content of this document is missing. Report the request id to the operator.',
  },
  attribute_filter_invalid: {
    status: 422,
    when: '`filters_attributes` is no JSON object.',
    fix: 'Send an object, such as `{"team":"blue"}`.',
  },
  web_page_unreadable: {
    status: 400,
    when: 'An address of the web could not be fetched.',
    fix: 'Check that the address is public and answers 200.',
  },
  archive_too_deep: {
    status: 400,
    fix: 'Unpack the inner archive and add its files.',
    message: 'An archive inside an archive inside an archive is not opened.',
  },
});
