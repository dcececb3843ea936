import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { SchemaFields } from '../../ui/schema-form/schema-fields.tsx';
import { useSchemaForm } from '../../ui/schema-form/use-schema-form.ts';
import { type Execution, executionsKey, type Registration, registrationsQuery } from './queries.ts';
import styles from './workflows.module.css';

type Props = {
  workflow: { id: string; name: string; display_name: string };
  /** The initial input, from an earlier run. */
  initial?: unknown;
  onClose: () => void;
};

/** Starts an execution with input by the schema of the newest definition that has a worker. */
export function RunDialog({ workflow, initial, onClose }: Props) {
  const active = useQuery(registrationsQuery(workflow.id, true));
  const any = useQuery({ ...registrationsQuery(workflow.id, false), enabled: active.data?.length === 0 });
  const registrations = active.data?.length === 0 ? any : active;
  const title = `Run ${workflow.display_name}`;
  if (registrations.data?.[0])
    return (
      <RunForm
        title={title}
        workflow={workflow}
        registrations={registrations.data}
        isServed={active.data?.length !== 0}
        initial={initial}
        onClose={onClose}
      />
    );
  return (
    <Dialog title={title} onClose={onClose}>
      <Loaded query={registrations}>
        {() => <Notice tone="warning">No worker has registered a definition of this workflow.</Notice>}
      </Loaded>
    </Dialog>
  );
}

function RunForm({
  title,
  workflow,
  registrations,
  isServed,
  initial,
  onClose,
}: Props & { title: string; registrations: Registration[]; isServed: boolean }) {
  const deployments = [...new Set(registrations.map(({ deployment_name }) => deployment_name ?? ''))];
  const [deployment, setDeployment] = useState(deployments[0] ?? '');
  const registration = registrations.find(({ deployment_name }) => (deployment_name ?? '') === deployment);
  const form = useSchemaForm((registration ?? (registrations[0] as Registration)).definition.input_schema, initial);
  const [executionId, setExecutionId] = useState('');
  const navigate = useNavigate();
  const client = useQueryClient();
  const run = useMutation({
    mutationFn: (input: unknown) =>
      api.post<Execution>(`/v1/workflows/${encodeURIComponent(workflow.name)}/execute`, {
        input,
        ...(executionId.trim() ? { execution_id: executionId.trim() } : {}),
        ...(isServed && deployments.length > 1 ? { deployment_name: deployment } : {}),
      }),
    onSuccess: async ({ execution_id }) => {
      void client.invalidateQueries({ queryKey: executionsKey });
      await navigate({ to: '/workflows/executions/$executionId', params: { executionId: execution_id } });
      onClose();
    },
    onError: (error) => form.showErrors(error, 'input'),
  });
  const submit = () => {
    const read = form.read();
    if (read) run.mutate(read.value);
  };
  return (
    <EntityDialog title={title} wide action="Run" save={run} icon="play" onSave={submit} onClose={onClose}>
      {!isServed && <Notice tone="warning">No worker is serving this workflow. Start one before you run it.</Notice>}
      <SchemaFields form={form} label="Input" />
      <details className={styles.more}>
        <summary>Advanced</summary>
        <div className="stack">
          {deployments.length > 1 && (
            <SelectField
              label="Deployment"
              hint="Several deployments serve this workflow."
              value={deployment}
              onChange={setDeployment}
              options={deployments.map((name) => ({ value: name, label: name }))}
            />
          )}
          <TextField
            label="Execution ID"
            hint="Optional. Must not be in use by a running execution."
            maxLength={256}
            value={executionId}
            onChange={(event) => setExecutionId(event.target.value)}
          />
        </div>
      </details>
    </EntityDialog>
  );
}
