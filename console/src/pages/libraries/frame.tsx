import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/api.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Menu } from '../../ui/menu.tsx';
import { NavTabs } from '../../ui/nav-tabs.tsx';
import { Page } from '../../ui/page.tsx';
import { useRemoval } from '../../ui/use-removal.ts';
import { LibraryDialog } from './library-dialog.tsx';
import { type Library, librariesKey, libraryPath, libraryQuery } from './queries.ts';

type Props = { libraryId: string; actions?: ReactNode; children: (library: Library) => ReactNode };

/** Heading, tabs and menu of a library. */
export function Frame({ libraryId, actions, children }: Props) {
  const query = useQuery(libraryQuery(libraryId));
  const [isRenaming, setRenaming] = useState(false);
  const params = { libraryId };
  return (
    <Loaded query={query}>
      {(library) => (
        <Page
          title={library.name}
          lead={library.description}
          crumbs={<Link to="/libraries">Libraries</Link>}
          actions={
            <>
              {actions}
              <LibraryMenu library={library} onRename={() => setRenaming(true)} />
            </>
          }
        >
          <NavTabs
            label="Library"
            entries={[
              { to: '/libraries/$libraryId', label: 'Documents', exact: true, params },
              { to: '/libraries/$libraryId/search', label: 'Search', params },
              { to: '/libraries/$libraryId/ask', label: 'Ask', params },
              { to: '/libraries/$libraryId/sharing', label: 'Sharing', params },
            ]}
          />
          {children(library)}
          {isRenaming && <LibraryDialog library={library} onClose={() => setRenaming(false)} />}
        </Page>
      )}
    </Loaded>
  );
}

function LibraryMenu({ library, onRename }: { library: Library; onRename: () => void }) {
  const navigate = useNavigate();
  const remove = useRemoval({
    title: () => `Delete ${library.name}?`,
    body: 'All its documents are deleted, and agents that name it find nothing any more.',
    action: 'Delete library',
    run: () => api.delete(libraryPath(library.id)),
    done: () => `${library.name} was deleted.`,
    leave: () => navigate({ to: '/libraries' }),
    reload: librariesKey,
  });
  return (
    <Menu
      label="Actions of this library"
      items={[
        { label: 'Rename or describe', onSelect: onRename },
        { label: 'Delete library', danger: true, onSelect: () => remove.ask() },
      ]}
    />
  );
}
