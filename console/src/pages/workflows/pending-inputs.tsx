import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { JsonSchema } from '../../ui/schema-form/fields.ts';
import { SchemaFields } from '../../ui/schema-form/schema-fields.tsx';
import { useSchemaForm } from '../../ui/schema-form/use-schema-form.ts';
import { Time } from '../../ui/time.tsx';
import { useToast } from '../../ui/toast.tsx';
import { executionPath, executionsKey } from './queries.ts';
import type { TimelineEvent } from './timeline/read-messages.ts';
import type { Row } from './timeline/rows.ts';
import styles from './workflows.module.css';

type Props = { executionId: string; inputs: readonly Row[]; events: readonly TimelineEvent[] };

/** A form for each input that the execution or one of its children waits for. */
export function PendingInputs({ executionId, inputs, events }: Props) {
  if (inputs.length === 0) return null;
  return (
    <div className="stack">
      {inputs.map((row) => (
        <PendingInput
          key={row.key}
          row={row}
          isChild={row.executionId !== executionId}
          question={questionOf(row, events)}
        />
      ))}
    </div>
  );
}

type Asked = { taskId: string; schema: JsonSchema };

function questionOf(row: Row, events: readonly TimelineEvent[]): Asked {
  const started = row.events.map((at) => events[at]).find((event) => event?.event_type === 'CUSTOM_TASK_STARTED');
  if (started?.event_type !== 'CUSTOM_TASK_STARTED') return { taskId: '', schema: {} };
  const asked = started.attributes.payload?.value as { input_schema?: JsonSchema } | null | undefined;
  return { taskId: started.attributes.custom_task_id, schema: asked?.input_schema ?? {} };
}

function PendingInput({ row, isChild, question }: { row: Row; isChild: boolean; question: Asked }) {
  // The schema comes from the same event on each render, which must not reset the form.
  const form = useSchemaForm(question.schema);
  const client = useQueryClient();
  const toast = useToast();
  const answer = useMutation({
    mutationFn: (input: unknown) =>
      api.post(`${executionPath(row.executionId)}/updates`, {
        name: '__submit_input',
        input: { task_id: question.taskId, input },
      }),
    onSuccess: () => {
      toast.success('Response sent.');
      return client.invalidateQueries({ queryKey: executionsKey });
    },
  });
  return (
    <form
      className={styles.pendingInput}
      onSubmit={(event) => {
        event.preventDefault();
        const read = form.read();
        if (read) answer.mutate(read.value);
      }}
    >
      <div className="row row-between">
        <h2 className="row breakable">
          <Icon name="person" />
          {row.label}
        </h2>
        <span className="small muted">
          {isChild && <>requested by {row.executionId}, </>}
          <Time value={row.startMs} />
        </span>
      </div>
      <SchemaFields form={form} label="Response" />
      <ErrorNotice error={answer.error} />
      <div>
        <Button type="submit" look="primary" icon="check" busy={answer.isPending}>
          Send response
        </Button>
      </div>
    </form>
  );
}
