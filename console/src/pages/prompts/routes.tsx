import { createLazyRoute } from '@tanstack/react-router';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/page.tsx';

export const list = createLazyRoute('/shell/prompts')({ component: PromptsPage });

function PromptsPage() {
  return (
    <Page title="Prompts">
      <EmptyState icon="info" title="Nothing here yet" />
    </Page>
  );
}
