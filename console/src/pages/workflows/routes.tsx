import { createLazyRoute } from '@tanstack/react-router';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/page.tsx';

export const list = createLazyRoute('/shell/workflows')({ component: WorkflowsPage });

function WorkflowsPage() {
  return (
    <Page title="Workflows">
      <EmptyState icon="info" title="Nothing here yet" />
    </Page>
  );
}
