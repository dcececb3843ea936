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
  document_not_stored: {
    status: 503,
    when: 'What was read of a document could not be stored for ten minutes, because the disk or the database was full or failing.',
    fix: 'Ask the operator for space, then `POST /v1/libraries/{library_id}/documents/{document_id}/reprocess`.',
    message: 'What was read of the document could not be stored: the storage of the server is full or failing.',
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
    when: 'The text of a document is asked for that is still being read after some seconds, or could not be read.',
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
  library_source_not_found: missing('source of this library'),
  source_folder_refused: {
    status: 400,
    when: 'A source names a folder of the server that the operator has not opened for this workspace.',
    fix: 'Ask the operator to list the folder under `libraries.source_folders`.',
    message: 'This folder is not open to this workspace. Ask the operator to list it under libraries.source_folders.',
  },
  too_many_sources: {
    status: 400,
    fix: 'Delete a source of the library first.',
    message: (most: number) => `A library has at most ${most} sources. Delete one first.`,
  },
  source_unreadable: {
    status: 400,
    when: 'A folder, git repository or site that a library is kept in step with could not be read. It is the error of the source.',
    fix: 'The message says what was wrong; run the source again once that is mended.',
  },
  archive_too_deep: {
    status: 400,
    fix: 'Unpack the inner archive and add its files.',
    message: 'An archive inside an archive inside an archive is not opened.',
  },
});
