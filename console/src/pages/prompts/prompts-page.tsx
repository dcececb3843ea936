import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { RegistryList } from '../../registry/registry-list.tsx';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import tableStyles from '../../ui/table.module.css';
import { CreateDialog } from './create-dialog.tsx';
import { prompts } from './registry.ts';

const FIELDS = 'id,name,title,description,sharingScope,updatedAt,latestVersion';

export function PromptsPage() {
  const [creating, setCreating] = useState(false);
  const create = (
    <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
      New prompt
    </Button>
  );
  return (
    <Page
      title="Prompts"
      lead="Named prompts with immutable versions, and aliases that select the version in use."
      actions={create}
    >
      <RegistryList
        registry={prompts}
        fields={FIELDS}
        icon="prompt"
        link={({ id = '', name }) => (
          <Link to="/prompts/$promptId" params={{ promptId: id }} className={`${tableStyles.link} breakable`}>
            {name}
          </Link>
        )}
        about={({ title, description }) => title || description}
        empty={{
          title: 'No prompt yet',
          text: 'Keep the prompts of your applications here and change them without a release.',
          action: create,
        }}
      />
      {creating && <CreateDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}
