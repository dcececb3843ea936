import { createLazyRoute } from '@tanstack/react-router';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/page.tsx';

export const list = createLazyRoute('/shell/organization')({ component: OrganizationPage });

function OrganizationPage() {
  return (
    <Page title="Organization">
      <EmptyState icon="info" title="Nothing here yet" />
    </Page>
  );
}
