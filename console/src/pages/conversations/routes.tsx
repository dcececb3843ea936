import { createLazyRoute } from '@tanstack/react-router';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/page.tsx';

export const list = createLazyRoute('/shell/conversations')({ component: ConversationsPage });

function ConversationsPage() {
  return (
    <Page title="Conversations">
      <EmptyState icon="info" title="Nothing here yet" />
    </Page>
  );
}
