import { Link } from '@tanstack/react-router';
import type { SkillDefinition } from '../../../../src/skills/schema/skills.ts';
import { RegistryList } from '../../registry/registry-list.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import tableStyles from '../../ui/table.module.css';
import { IntakeCard } from './intake-card.tsx';
import { skills } from './queries.ts';

const FIELDS = 'id,name,definition.description,sharingScope,updatedAt,latestVersion';

export function SkillsPage() {
  const create = (
    <Link to="/skills/new" className={buttonClass({ look: 'primary' })}>
      <Icon name="plus" size={17} />
      New skill
    </Link>
  );
  return (
    <Page
      title="Skills"
      lead="Folders of instructions and files that agents load when a task matches, with versions and aliases."
      actions={create}
    >
      <RegistryList
        registry={skills}
        fields={FIELDS}
        icon="skill"
        link={({ id = '', name }) => (
          <Link to="/skills/$skillId" params={{ skillId: id }} className={`${tableStyles.link} breakable`}>
            {name}
          </Link>
        )}
        about={({ definition }) => (definition as SkillDefinition | undefined)?.description}
        empty={{
          title: 'No skill yet',
          text: 'Describe a task once, with its templates and scripts, and use it with any agent.',
          action: create,
        }}
      />
      <IntakeCard />
    </Page>
  );
}
