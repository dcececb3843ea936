import { requirementsOf } from './requirement.ts';

export const fileRequirements = requirementsOf('files', {
  'behaviour: Files': {
    'FILES-UPLOAD': 'POST /v1/files takes multipart/form-data and answers with the file, its fields in any order',
    'FILES-FIELDS': 'a file has id, object, bytes, created_at, filename, purpose, sample_type, source and the rest',
    'FILES-PURPOSE': 'purpose is fine-tune, batch or ocr; anything else is 422',
    'FILES-VISIBILITY-WORKSPACE': 'a file is visible to its workspace unless it says otherwise',
    'FILES-VISIBILITY-USER': 'a file of visibility user is missing for everybody but its user',
    'FILES-EXPIRY': 'expiry is in hours; a file that has expired is missing',
    'FILES-LIST': 'GET /v1/files lists pages from 0, 100 files each unless page_size says otherwise',
    'FILES-LIST-TOTAL': 'the total is in the list unless include_total is false',
    'FILES-LIST-FILTERS': 'sample_type, source, search, purpose and mimetypes narrow the list',
    'FILES-GET': 'GET /v1/files/{file_id} answers the file with deleted false',
    'FILES-DELETE': 'DELETE /v1/files/{file_id} answers {id, object, deleted: true}, and the file is missing then',
    'FILES-CONTENT': 'GET /v1/files/{file_id}/content answers the bytes as application/octet-stream',
    'FILES-URL': 'GET /v1/files/{file_id}/url answers an address that gives the content without a key',
    'FILES-URL-EXPIRY': 'a signed address holds for 1 to 168 hours, 24 unless expiry says otherwise',
    'FILES-URL-TAMPERED': 'an address whose id, time or signature was changed gives nothing',
    'FILES-LIMIT': 'a file over 512 MB is 413 and nothing of it is kept',
  },
});
