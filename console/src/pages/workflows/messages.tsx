import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { SchemaFields } from '../../ui/schema-form/schema-fields.tsx';
import { useSchemaForm } from '../../ui/schema-form/use-schema-form.ts';
import { type Execution, executionPath, executionsKey, type Registration, registrationsQuery } from './queries.ts';
import { isRunning } from './statuses.ts';
import styles from './workflows.module.css';

type Kind = 'signals' | 'queries' | 'updates';
type Handler = {
  kind: Kind;
  name: string;
  description?: string | null | undefined;
  input_schema: Record<string, unknown>;
};

const words: Record<Kind, { label: string; explains: string; action: string; done: string }> = {
  queries: { label: 'Query', explains: 'Reads state without changing it.', action: 'Run query', done: 'Result' },
  signals: { label: 'Signal', explains: 'Sends data without waiting for a result.', action: 'Send', done: 'Accepted' },
  updates: { label: 'Update', explains: 'May change state and returns a result.', action: 'Send', done: 'Result' },
};

/** The queries, signals and updates that the registered definition declares. */
export function Messages({ execution }: { execution: Execution }) {
  const query = useQuery({
    ...registrationsQuery(execution.workflow_id ?? '', false),
    enabled: Boolean(execution.workflow_id),
  });
  const [chosen, setChosen] = useState<string>();
  return (
    <Card flush>
      <Loaded query={query} padded>
        {(registrations) => {
          const handlers = handlersOf(registrations, execution.deployment_name);
          const handler = handlers.find((one) => keyOf(one) === chosen) ?? handlers[0];
          if (!handler)
            return (
              <EmptyState icon="chat" title="No signals, queries or updates">
                This workflow declares none.
              </EmptyState>
            );
          return (
            <div className={styles.messages}>
              <ul className={styles.messagesList}>
                {handlers.map((one) => (
                  <li key={keyOf(one)}>
                    <button
                      type="button"
                      className={styles.messagesChoice}
                      aria-pressed={one === handler}
                      onClick={() => setChosen(keyOf(one))}
                    >
                      <Badge tone="violet">{words[one.kind].label}</Badge>
                      <span className="breakable">{one.name}</span>
                    </button>
                  </li>
                ))}
              </ul>
              <Message key={keyOf(handler)} handler={handler} execution={execution} />
            </div>
          );
        }}
      </Loaded>
    </Card>
  );
}

const keyOf = ({ kind, name }: Handler) => `${kind} ${name}`;

function handlersOf(registrations: readonly Registration[], deployment: string | null | undefined): Handler[] {
  const own = registrations.find(({ deployment_name }) => deployment_name === deployment) ?? registrations[0];
  const { queries = [], signals = [], updates = [] } = own?.definition ?? {};
  return [
    ...queries.map((query) => ({ ...query, kind: 'queries' as const })),
    ...signals.map((signal) => ({ ...signal, kind: 'signals' as const })),
    ...updates.map((update) => ({ ...update, kind: 'updates' as const })),
  ].filter(({ name }) => !name.startsWith('__'));
}

function Message({ handler, execution }: { handler: Handler; execution: Execution }) {
  const { kind, name, description, input_schema } = handler;
  const { explains, action, done } = words[kind];
  const form = useSchemaForm(input_schema);
  const client = useQueryClient();
  const send = useMutation({
    mutationFn: (input: unknown) =>
      api.post<{ result?: unknown }>(`${executionPath(execution.execution_id)}/${kind}`, {
        name,
        ...(input === undefined ? {} : { input }),
      }),
    onSuccess: () => {
      if (kind !== 'queries') void client.invalidateQueries({ queryKey: executionsKey });
    },
    onError: (error) => form.showErrors(error, 'input'),
  });
  const hasEnded = !isRunning(execution.status);
  return (
    <form
      className={styles.messagesForm}
      onSubmit={(event) => {
        event.preventDefault();
        const read = form.read();
        if (read) send.mutate(read.value);
      }}
    >
      <div>
        <h2 className="breakable">{name}</h2>
        <p className="muted">{description || explains}</p>
      </div>
      {hasEnded && kind !== 'queries' && <Notice>The execution has ended and accepts no more messages.</Notice>}
      <SchemaFields form={form} label="Input" />
      <ErrorNotice error={send.error} />
      <div>
        <Button type="submit" look="primary" busy={send.isPending} disabled={hasEnded && kind !== 'queries'}>
          {action}
        </Button>
      </div>
      {send.isSuccess &&
        (kind === 'signals' ? (
          <Notice tone="success">{done}</Notice>
        ) : (
          <CodeBlock title={done} code={JSON.stringify(send.data?.result ?? null, null, 2)} wrap />
        ))}
    </form>
  );
}
