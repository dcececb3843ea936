import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { TextAreaField, TextField } from '../../ui/field.tsx';
import { Segments } from '../../ui/segments.tsx';
import { builtInTools, emptyParameters, newKey, type ToolUse } from './agent-draft.ts';
import type { FormPart } from './agent-form.tsx';

const uses: { value: ToolUse; label: string }[] = [
  { value: 'off', label: 'Off' },
  { value: 'on', label: 'On' },
  { value: 'ask', label: 'Ask first' },
];

/** What the agent may use: what the server runs, tools of remote servers, and functions of the program that asks. */
export function ToolsForm(part: FormPart) {
  const { draft, set } = part;
  return (
    <Card title="Tools">
      <ul className="tool-choices">
        {builtInTools.map(({ type, label, explains }) => (
          <li key={type}>
            <div>
              <div className="field-label">{label}</div>
              <div className="field-hint">{explains}</div>
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
  const change = (key: number, to: Partial<(typeof draft.connectors)[number]>) =>
    set({ connectors: draft.connectors.map((one) => (one.key === key ? { ...one, ...to } : one)) });
  return (
    <fieldset className="tool-group">
      <legend>Connectors</legend>
      <p className="field-hint">Tools of remote servers that the operator has declared.</p>
      {draft.connectors.map(({ key, id, confirm }) => (
        <div key={key} className="tool-entry">
          <TextField
            label="Connector"
            placeholder="wiki"
            error={problems[`connector ${key}`]}
            value={id}
            onChange={(event) => change(key, { id: event.target.value })}
          />
          <TextField
            label="Ask first for"
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
            {`Take the connector ${id} out`}
          </Button>
        </div>
      ))}
      <div>
        <Button
          small
          icon="plus"
          onClick={() => set({ connectors: [...draft.connectors, { key: newKey(), id: '', confirm: '' }] })}
        >
          Add a connector
        </Button>
      </div>
    </fieldset>
  );
}

function Functions({ draft, problems, set }: FormPart) {
  const change = (key: number, to: Partial<(typeof draft.functions)[number]>) =>
    set({ functions: draft.functions.map((one) => (one.key === key ? { ...one, ...to } : one)) });
  return (
    <fieldset className="tool-group">
      <legend>Functions</legend>
      <p className="field-hint">Calls that the program which talks to the agent answers itself.</p>
      {draft.functions.map(({ key, name, description, parameters }) => (
        <div key={key} className="tool-function">
          <div className="tool-entry">
            <TextField
              label="Function"
              placeholder="book_table"
              error={problems[`function ${key}`]}
              value={name}
              onChange={(event) => change(key, { name: event.target.value })}
            />
            <TextField
              label="What it does"
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
              {`Take the function ${name} out`}
            </Button>
          </div>
          <TextAreaField
            label="Parameters"
            code
            rows={5}
            hint="A JSON Schema."
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
          Add a function
        </Button>
      </div>
    </fieldset>
  );
}
