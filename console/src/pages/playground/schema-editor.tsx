import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import fieldStyles from '../../ui/field.module.css';
import { CheckField, SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import { Segments } from '../../ui/segments.tsx';
import styles from './playground.module.css';
import { ROW_TYPES, type SchemaRow, toRows, toSchema } from './schema-rows.ts';

const MODES = [
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
] as const;

const EXAMPLE = toSchema([{ name: 'answer', type: 'string', description: '', isRequired: true }]);

type Props = { schema: string; problem: string | undefined; onChange: (schema: string) => void };

/** The schema of an answer: a form for flat ones, the text for all. */
export function SchemaEditor({ schema, problem, onChange }: Props) {
  const rows = toRows(schema);
  const [mode, setMode] = useState<'form' | 'json'>(rows ? 'form' : 'json');
  const isForm = mode === 'form' && rows !== undefined;
  const set = (next: readonly SchemaRow[]) => onChange(next.length === 0 ? '' : toSchema(next));
  return (
    <div className="stack-tight">
      <Segments full label="Edit the schema as" options={MODES} value={isForm ? 'form' : 'json'} onChange={setMode} />
      {mode === 'form' && rows === undefined && (
        <p className="small muted">This schema has more than the form can show. Edit it as JSON.</p>
      )}
      {isForm ? (
        <>
          {rows.map((row, at) => (
            <RowFields
              // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place, and its name changes while it is typed.
              key={at}
              row={row}
              at={at + 1}
              onChange={(part) => set(rows.map((other, place) => (place === at ? { ...other, ...part } : other)))}
              onRemove={() => set(rows.filter((_, place) => place !== at))}
            />
          ))}
          {problem && <p className={fieldStyles.error}>{problem}</p>}
          <div>
            <Button small icon="plus" onClick={() => set([...rows, newRow(rows)])}>
              Add field
            </Button>
          </div>
        </>
      ) : (
        <TextAreaField
          label="Schema"
          rows={8}
          code
          placeholder={EXAMPLE}
          error={problem}
          value={schema}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </div>
  );
}

function newRow(rows: readonly SchemaRow[]): SchemaRow {
  let number = rows.length + 1;
  while (rows.some(({ name }) => name === `field_${number}`)) number++;
  return { name: `field_${number}`, type: 'string', description: '', isRequired: true };
}

type RowProps = {
  row: SchemaRow;
  at: number;
  onChange: (part: Partial<SchemaRow>) => void;
  onRemove: () => void;
};

function RowFields({ row, at, onChange, onRemove }: RowProps) {
  return (
    <fieldset className={styles.schemaRow}>
      <legend className="visually-hidden">{`Field ${at}`}</legend>
      <div className={styles.pairs}>
        <TextField
          label="Field name"
          required
          value={row.name}
          onChange={(event) => onChange({ name: event.target.value })}
        />
        <SelectField
          label="Type"
          value={row.type}
          onChange={(type) => onChange({ type })}
          options={ROW_TYPES.map((value) => ({ value, label: value }))}
        />
      </div>
      <TextField
        label="Description"
        value={row.description}
        onChange={(event) => onChange({ description: event.target.value })}
      />
      <div className="row">
        <CheckField
          label="Required"
          checked={row.isRequired}
          onChange={(event) => onChange({ isRequired: event.target.checked })}
        />
        <span className="grow" />
        <Button small look="quiet" icon="trash" iconOnly onClick={onRemove}>
          {`Remove field ${row.name}`}
        </Button>
      </div>
    </fieldset>
  );
}
