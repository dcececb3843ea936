import { useState } from 'react';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { LANGUAGES, type Language, sampleOf } from './code-samples.ts';
import type { PlaygroundRequest } from './setup.ts';

export function CodeDialog({ request, onClose }: { request: PlaygroundRequest; onClose: () => void }) {
  const [language, setLanguage] = useState<Language>('curl');
  return (
    <Dialog title="Request code" wide onClose={onClose}>
      <Tabs
        label="Language"
        tabs={LANGUAGES.map((value) => ({ value, label: value }))}
        value={language}
        onChange={setLanguage}
      >
        <CodeBlock code={sampleOf(language, request, location.origin)} />
      </Tabs>
      <p className="small muted">
        The code reads the key from <code>TRAMONTANE_API_KEY</code>. Create keys under Organization.
      </p>
    </Dialog>
  );
}
