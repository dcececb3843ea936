import { createLazyRoute } from '@tanstack/react-router';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/page.tsx';

export const list = createLazyRoute('/shell/speech')({ component: SpeechPage });

function SpeechPage() {
  return (
    <Page title="Speech">
      <EmptyState icon="info" title="Nothing here yet" />
    </Page>
  );
}
