import { Card } from '../../ui/card.tsx';
import { SelectField, TextAreaField, TextField } from '../../ui/field.tsx';
import { responseFormats, terms, toolChoices } from '../../ui/terms.ts';
import type { FormPart } from './agent-draft.ts';

/** How the model of an agent answers. */
export function SamplingCard({ draft, problems, set }: FormPart) {
  return (
    <>
      <Card title="Sampling">
        <TextField
          label={terms.temperature}
          inputMode="decimal"
          placeholder="Model default"
          hint="0 to 1. Higher values are less predictable."
          error={problems.temperature}
          value={draft.temperature}
          onChange={(event) => set({ temperature: event.target.value })}
        />
        <TextField
          label={terms.top_p}
          inputMode="decimal"
          placeholder="Model default"
          error={problems.topP}
          value={draft.topP}
          onChange={(event) => set({ topP: event.target.value })}
        />
        <TextField
          label={terms.max_tokens}
          inputMode="numeric"
          placeholder="Model default"
          hint="Limit for each response."
          error={problems.maxTokens}
          value={draft.maxTokens}
          onChange={(event) => set({ maxTokens: event.target.value })}
        />
        <TextAreaField
          label={terms.stop}
          hint="One per line."
          rows={2}
          code
          error={problems.stop}
          value={draft.stop}
          onChange={(event) => set({ stop: event.target.value })}
        />
      </Card>
      <Card title="Output">
        <SelectField
          label={terms.tool_choice}
          hint="Any: the model must call a tool. None: it must not."
          options={[
            ...toolChoices,
            // Another name of the API for Any, kept as it was given.
            ...(draft.toolChoice === 'required' ? [{ value: 'required' as const, label: 'Required' }] : []),
          ]}
          value={draft.toolChoice}
          onChange={(toolChoice) => set({ toolChoice })}
        />
        <SelectField
          label={terms.response_format}
          options={responseFormats}
          value={draft.format}
          onChange={(format) => set({ format })}
        />
        {draft.format === 'json_schema' && (
          <TextAreaField
            label="JSON schema"
            rows={8}
            code
            error={problems.schema}
            value={draft.schema}
            onChange={(event) => set({ schema: event.target.value })}
          />
        )}
      </Card>
    </>
  );
}
