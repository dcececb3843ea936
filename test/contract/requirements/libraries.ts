import { requirementsOf } from './requirement.ts';

export const libraryRequirements = requirementsOf('libraries', {
  'behaviour: Libraries': {
    'LIBRARIES-CREATE':
      'POST /v1/libraries answers 201 with the library, which belongs to the workspace unless it says otherwise',
    'LIBRARIES-FIELDS': 'a library has its owner, its size, the number of its documents and the rest',
    'LIBRARIES-LIST': 'GET /v1/libraries lists pages by token or by number, searched by name',
    'LIBRARIES-UPDATE': 'PATCH and PUT rename and describe a library',
    'LIBRARIES-DELETE': 'what is deleted is missing, with everything in it',
    'LIBRARIES-UPLOAD': 'POST …/documents takes a file, answers 201, and the document is read in the background',
    'LIBRARIES-UPLOAD-SAME': 'the same content again answers 200 with the document that is there',
    'LIBRARIES-DOCUMENT-FIELDS': 'a document has its hash, size, pages, tokens, summary and the rest',
    'LIBRARIES-STATUS': 'GET …/status tells how far a document is, in the new words and the old ones',
    'LIBRARIES-DOCUMENTS-LIST': 'documents come in pages, sorted by a field and searched by name',
    'LIBRARIES-ATTRIBUTES': 'attributes of documents are set, and filter the list',
    'LIBRARIES-TEXT': 'GET …/text_content answers the text, whole or by pages',
    'LIBRARIES-LINKS': 'signed addresses of the original and of the text hold for 30 minutes and need no key',
    'LIBRARIES-FAILED': 'a document that cannot be read has the status error and a reason',
    'LIBRARIES-REPROCESS': 'POST …/reprocess answers 204, and the document is read again',
    'LIBRARIES-SHARE':
      'a library is shared with users, workspaces and the organization as Viewer or Editor, by its owner',
    'LIBRARIES-SHARE-INSIDE': 'a library is not shared outside of its organization, and its owner keeps its role',
    'LIBRARIES-PRIVATE': 'a library of a user is missing for others until it is shared',
    'LIBRARIES-FOREIGN': 'libraries and documents of another organization look missing',
  },
});
