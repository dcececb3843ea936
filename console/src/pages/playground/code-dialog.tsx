import { useState } from 'react';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { LANGUAGES, type Language, sampleOf } from './code-samples.ts';
import { FLAVOURS, type Flavour } from './flavours.ts';
import type { PlaygroundRequest } from './setup.ts';

type Props = { request: PlaygroundRequest; serverTools: readonly object[]; onClose: () => void };

export function CodeDialog({ request, serverTools, onClose }: Props) {
  const [language, setLanguage] = useState<Language>('curl');
  const [flavour, setFlavour] = useState<Flavour>('Mistral');
  return (
    <Dialog title="Request code" wide onClose={onClose}>
      {serverTools.length === 0 && (
        <SelectField
          label="API"
          value={flavour}
          options={FLAVOURS.map((value) => ({ value, label: value }))}
          onChange={setFlavour}
        />
      )}
      <Tabs
        label="Language"
        tabs={LANGUAGES.map((value) => ({ value, label: value }))}
        value={language}
        onChange={setLanguage}
      >
        <CodeBlock code={sampleOf(language, request, location.origin, flavour, serverTools)} />
      </Tabs>
      <p className="small muted">
        The code reads the key from <code>TRAMONTANE_API_KEY</code>. Create keys under Organization.
      </p>
    </Dialog>
  );
}
