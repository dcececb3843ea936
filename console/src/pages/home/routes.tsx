import { createLazyRoute } from '@tanstack/react-router';
import { Page } from '../../ui/page.tsx';

export const home = createLazyRoute('/shell/')({ component: HomePage });

function HomePage() {
  return (
    <Page title="Home">
      <p>Welcome.</p>
    </Page>
  );
}
