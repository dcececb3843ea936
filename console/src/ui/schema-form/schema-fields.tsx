import { TextAreaField } from '../field.tsx';
import { Segments } from '../segments.tsx';
import { FieldInput } from './field-input.tsx';
import type { SchemaForm } from './use-schema-form.ts';

const modes = [
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
] as const;

/** The inputs of a schema form; `label` names the value. */
export function SchemaFields({ form, label }: { form: SchemaForm; label: string }) {
  const { field, mode } = form;
  const isEmpty = field.kind === 'object' && field.properties.length === 0;
  if (isEmpty) return <p className="muted">No input required.</p>;
  return (
    <div className="stack">
      {field.kind !== 'json' && (
        <div className="row row-between">
          <span className="muted">{label}</span>
          <Segments label={`${label} format`} options={modes} value={mode} onChange={form.setMode} />
        </div>
      )}
      {mode === 'json' ? (
        <TextAreaField
          label={label}
          hideLabel
          code
          rows={10}
          error={problemsText(form)}
          value={form.text}
          onChange={(event) => form.setText(event.target.value)}
        />
      ) : (
        <FieldInput
          field={field}
          name={field.kind === 'object' ? '' : label}
          path=""
          isRequired={field.kind !== 'json'}
          draft={form.draft}
          problems={form.problems}
          onChange={form.setDraft}
        />
      )}
    </div>
  );
}

/** The JSON editor has no inputs to show problems beside, so each names its path. */
function problemsText({ problems }: SchemaForm): string {
  return Object.entries(problems)
    .map(([path, message]) => (path === '' ? message : `${path}: ${message}`))
    .join(' ');
}
