import '../src/theme.ts';
import '../src/styles/tokens.css';
import '../src/styles/base.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { Card } from '../src/ui/card.tsx';
import { ConfirmProvider } from '../src/ui/confirm.tsx';
import { Page } from '../src/ui/page.tsx';
import { ToastProvider } from '../src/ui/toast.tsx';
import { specimens } from './specimens.tsx';

/** `#name` shows one component alone, as the tests want it. */
function Gallery() {
  const chosen = location.hash.slice(1);
  const shown = specimens.filter(({ name }) => chosen === '' || name === chosen);
  return (
    <main>
      <Page title="Components" lead="Each shared component in its states, without a server.">
        {shown.map(({ name, Example }) => (
          <section key={name} aria-label={name}>
            <Card title={name}>
              <Example />
            </Card>
          </section>
        ))}
      </Page>
    </main>
  );
}

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element with the id "root"');
createRoot(root).render(
  <QueryClientProvider client={new QueryClient()}>
    <ToastProvider>
      <ConfirmProvider>
        <Gallery />
      </ConfirmProvider>
    </ToastProvider>
  </QueryClientProvider>,
);
