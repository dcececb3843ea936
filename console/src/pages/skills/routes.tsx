import { createLazyRoute } from '@tanstack/react-router';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Page } from '../../ui/page.tsx';

export const list = createLazyRoute('/shell/skills')({ component: SkillsPage });

function SkillsPage() {
  return (
    <Page title="Skills">
      <EmptyState icon="info" title="Nothing here yet" />
    </Page>
  );
}
