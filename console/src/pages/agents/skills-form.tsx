import { useQuery } from '@tanstack/react-query';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { TextField } from '../../ui/field.tsx';
import { PickField } from '../../ui/pick-field.tsx';
import { type FormPart, newKey } from './agent-draft.ts';
import styles from './agents.module.css';
import { skillChoices } from './queries.ts';

/** Skills of the registry, each in its newest version or in the one that a number or an alias names. */
export function SkillsForm({ draft, problems, set }: FormPart) {
  const { data: choices } = useQuery(skillChoices);
  const change = (key: number, to: Partial<(typeof draft.skills)[number]>) =>
    set({ skills: draft.skills.map((one) => (one.key === key ? { ...one, ...to } : one)) });
  return (
    <Card title="Skills">
      {draft.skills.map(({ key, name, version }) => (
        <div key={key} className={styles.toolEntry}>
          <PickField
            label="Skill"
            unchosen="Choose a skill"
            choices={choices}
            error={problems[`skill ${key}`]}
            value={name}
            onChange={(chosen) => change(key, { name: chosen })}
          />
          <TextField
            label="Version or alias"
            placeholder="Newest"
            maxLength={128}
            value={version}
            onChange={(event) => change(key, { version: event.target.value })}
          />
          <Button
            look="quiet"
            small
            icon="trash"
            iconOnly
            onClick={() => set({ skills: draft.skills.filter((one) => one.key !== key) })}
          >
            {`Remove skill ${name}`}
          </Button>
        </div>
      ))}
      <div>
        <Button
          small
          icon="plus"
          onClick={() => set({ skills: [...draft.skills, { key: newKey(), name: '', version: '' }] })}
        >
          Add skill
        </Button>
      </div>
    </Card>
  );
}
