import { createLazyRoute } from '@tanstack/react-router';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/page.tsx';

export const list = createLazyRoute('/shell/playground')({ component: PlaygroundPage });

function PlaygroundPage() {
  return (
    <Page title="Playground">
      <EmptyState icon="info" title="Nothing here yet" />
    </Page>
  );
}
