import { createLazyRoute } from '@tanstack/react-router';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/page.tsx';

export const list = createLazyRoute('/shell/agents')({ component: AgentsPage });

function AgentsPage() {
  return (
    <Page title="Agents">
      <EmptyState icon="info" title="Nothing here yet" />
    </Page>
  );
}
