import { useQuery } from '@tanstack/react-query';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import fieldStyles from '../../ui/field.module.css';
import { TextAreaField, TextField } from '../../ui/field.tsx';
import { PickField } from '../../ui/pick-field.tsx';
import { Segments } from '../../ui/segments.tsx';
import { builtInTools, emptyParameters, type FormPart, newKey, type ToolUse } from './agent-draft.ts';
import styles from './agents.module.css';
import { connectorChoices } from './queries.ts';

const uses: { value: ToolUse; label: string }[] = [
  { value: 'off', label: 'Off' },
  { value: 'on', label: 'On' },
  { value: 'ask', label: 'With approval' },
];

/** Built-in tools, connectors to remote servers, and functions of the client application. */
export function ToolsForm(part: FormPart) {
  const { draft, set } = part;
  return (
    <Card title="Tools">
      <ul className={styles.toolChoices}>
        {builtInTools.map(({ type, label, explains }) => (
          <li key={type}>
            <div>
              <div className={fieldStyles.label}>{label}</div>
              <div className={fieldStyles.hint}>{explains}</div>
            </div>
            <Segments
              label={label}
              options={uses}
              value={draft.tools[type] ?? 'off'}
              onChange={(use) => set({ tools: { ...draft.tools, [type]: use } })}
            />
          </li>
        ))}
      </ul>
      <Connectors {...part} />
      <Functions {...part} />
    </Card>
  );
}

function Connectors({ draft, problems, set }: FormPart) {
  const { data: choices } = useQuery(connectorChoices);
  const change = (key: number, to: Partial<(typeof draft.connectors)[number]>) =>
    set({ connectors: draft.connectors.map((one) => (one.key === key ? { ...one, ...to } : one)) });
  return (
    <fieldset className={styles.toolGroup}>
      <legend>Connectors</legend>
      <p className={fieldStyles.hint}>Tools of other servers.</p>
      {draft.connectors.map(({ key, id, confirm }) => (
        <div key={key} className={styles.toolEntry}>
          <PickField
            label="Connector"
            unchosen="Choose a connector"
            choices={choices}
            error={problems[`connector ${key}`]}
            value={id}
            onChange={(chosen) => change(key, { id: chosen })}
          />
          <TextField
            label="Require approval for"
            placeholder="edit_page, delete_page"
            value={confirm}
            onChange={(event) => change(key, { confirm: event.target.value })}
          />
          <Button
            look="quiet"
            small
            icon="trash"
            iconOnly
            onClick={() => set({ connectors: draft.connectors.filter((one) => one.key !== key) })}
          >
            {`Remove connector ${id}`}
          </Button>
        </div>
      ))}
      <div>
        <Button
          small
          icon="plus"
          onClick={() => set({ connectors: [...draft.connectors, { key: newKey(), id: '', confirm: '' }] })}
        >
          Add connector
        </Button>
      </div>
    </fieldset>
  );
}

function Functions({ draft, problems, set }: FormPart) {
  const change = (key: number, to: Partial<(typeof draft.functions)[number]>) =>
    set({ functions: draft.functions.map((one) => (one.key === key ? { ...one, ...to } : one)) });
  return (
    <fieldset className={styles.toolGroup}>
      <legend>Functions</legend>
      <p className={fieldStyles.hint}>Called by the model, run by your application.</p>
      {draft.functions.map(({ key, name, description, parameters }) => (
        <div key={key} className={styles.toolFunction}>
          <div className={styles.toolEntry}>
            <TextField
              label="Function"
              placeholder="book_table"
              error={problems[`function ${key}`]}
              value={name}
              onChange={(event) => change(key, { name: event.target.value })}
            />
            <TextField
              label="Description"
              value={description}
              onChange={(event) => change(key, { description: event.target.value })}
            />
            <Button
              look="quiet"
              small
              icon="trash"
              iconOnly
              onClick={() => set({ functions: draft.functions.filter((one) => one.key !== key) })}
            >
              {`Remove function ${name}`}
            </Button>
          </div>
          <TextAreaField
            label="Parameters"
            code
            rows={5}
            hint="JSON Schema."
            error={problems[`parameters ${key}`]}
            value={parameters}
            onChange={(event) => change(key, { parameters: event.target.value })}
          />
        </div>
      ))}
      <div>
        <Button
          small
          icon="plus"
          onClick={() =>
            set({
              functions: [
                ...draft.functions,
                { key: newKey(), name: '', description: '', parameters: emptyParameters },
              ],
            })
          }
        >
          Add function
        </Button>
      </div>
    </fieldset>
  );
}
