import { CatchBoundary, Outlet, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useReachable } from '../api/reachability.ts';
import { buttonClass } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { AreaError } from './area-error.tsx';
import styles from './layout.module.css';
import navigationStyles from './navigation.module.css';
import { Navigation } from './navigation.tsx';

const CommandPalette = lazy(() => import('./command-palette.tsx'));

export function Layout() {
  const drawer = useRef<HTMLDialogElement>(null);
  const [searching, setSearching] = useState(false);
  const isReachable = useReachable();
  const path = useRouterState({ select: (state) => state.location.pathname });

  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes when the page changes.
  useEffect(() => drawer.current?.close(), [path]);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      setSearching((open) => !open);
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);

  const search = () => {
    drawer.current?.close();
    setSearching(true);
  };
  return (
    <div className={styles.shell}>
      <a className={styles.skipLink} href="#main">
        Skip to content
      </a>
      <Navigation as="header" onSearch={search} />
      <header className={styles.topbar}>
        <button
          type="button"
          className={buttonClass({ look: 'quiet', iconOnly: true })}
          aria-label="Open navigation"
          onClick={() => drawer.current?.showModal()}
        >
          <Icon name="menu" />
        </button>
        <span className={navigationStyles.brand}>Tramontane</span>
      </header>
      <dialog ref={drawer} className={styles.drawer} aria-label="Navigation" closedby="any">
        <Navigation as="div" onSearch={search} />
      </dialog>
      <main id="main" className={styles.main} tabIndex={-1}>
        {!isReachable && (
          <div role="alert">
            <Notice tone="danger">
              The server cannot be reached. What you see may be out of date, and nothing can be saved. This page asks
              again every few seconds; if it stays so, start the server or check the network.
            </Notice>
          </div>
        )}
        <CatchBoundary getResetKey={() => path} errorComponent={AreaError}>
          <Outlet />
        </CatchBoundary>
      </main>
      {searching && (
        <Suspense>
          <CommandPalette onClose={() => setSearching(false)} />
        </Suspense>
      )}
    </div>
  );
}
