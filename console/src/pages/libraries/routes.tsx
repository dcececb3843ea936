import { createLazyRoute } from '@tanstack/react-router';
import { AskPage } from './ask-page.tsx';
import { DocumentPage } from './document-page.tsx';
import { DocumentsPage } from './documents-page.tsx';
import { LibrariesPage } from './libraries-page.tsx';
import { SearchPage } from './search-page.tsx';
import { SharingPage } from './sharing-page.tsx';

export const list = createLazyRoute('/shell/libraries')({ component: LibrariesPage });
export const library = createLazyRoute('/shell/libraries/$libraryId')({ component: DocumentsPage });
export const search = createLazyRoute('/shell/libraries/$libraryId/search')({ component: SearchPage });
export const ask = createLazyRoute('/shell/libraries/$libraryId/ask')({ component: AskPage });
export const sharing = createLazyRoute('/shell/libraries/$libraryId/sharing')({ component: SharingPage });
export const document = createLazyRoute('/shell/libraries/$libraryId/documents/$documentId')({
  component: DocumentPage,
});
