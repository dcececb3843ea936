import { useState } from 'react';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { LANGUAGES, type Language, sampleOf } from './code-samples.ts';
import type { Ask } from './setup.ts';

export function CodeDialog({ ask, onClose }: { ask: Ask; onClose: () => void }) {
  const [language, setLanguage] = useState<Language>('curl');
  return (
    <Dialog title="This request as code" wide onClose={onClose}>
      <Tabs
        label="Language"
        tabs={LANGUAGES.map((value) => ({ value, label: value }))}
        value={language}
        onChange={setLanguage}
      >
        <CodeBlock code={sampleOf(language, ask, location.origin)} />
      </Tabs>
      <p className="small muted">
        The key comes from the variable <code>TRAMONTANE_API_KEY</code>; keys are made on the page Organization.
      </p>
    </Dialog>
  );
}
