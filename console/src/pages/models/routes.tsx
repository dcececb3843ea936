import { createLazyRoute } from '@tanstack/react-router';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/page.tsx';

export const list = createLazyRoute('/shell/models')({ component: ModelsPage });

function ModelsPage() {
  return (
    <Page title="Models">
      <EmptyState icon="info" title="Nothing here yet" />
    </Page>
  );
}
