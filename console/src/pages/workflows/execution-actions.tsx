import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { useConfirm } from '../../ui/confirm.tsx';
import { Menu } from '../../ui/menu.tsx';
import { useToast } from '../../ui/toast.tsx';
import { type Execution, executionPath, executionsKey, workflowQuery } from './queries.ts';
import { ResetDialog } from './reset-dialog.tsx';
import { RunDialog } from './run-dialog.tsx';
import { isRunning } from './statuses.ts';

const questions = {
  cancel: {
    title: 'Cancel this execution?',
    body: 'The workflow can clean up before it ends. Running steps are asked to stop.',
    action: 'Cancel execution',
    danger: true,
  },
  terminate: {
    title: 'Terminate this execution?',
    body: 'It ends immediately without cleanup, and running steps are abandoned. Prefer Cancel where possible.',
    action: 'Terminate',
    danger: true,
  },
} as const;

export function ExecutionActions({ execution, input }: { execution: Execution; input: unknown }) {
  const { execution_id: id, status, workflow_name } = execution;
  const [open, setOpen] = useState<'reset' | 'again'>();
  const confirm = useConfirm();
  const toast = useToast();
  const client = useQueryClient();
  const workflow = useQuery(workflowQuery(workflow_name));
  const end = useMutation({
    mutationFn: (deed: 'cancel' | 'terminate') => api.post(`${executionPath(id)}/${deed}`),
    onSuccess: (_, deed) =>
      toast.success(deed === 'cancel' ? 'Cancellation requested.' : 'The execution was terminated.'),
    onError: (error) => toast.error(error),
    onSettled: () => client.invalidateQueries({ queryKey: executionsKey }),
  });
  const ask = async (deed: 'cancel' | 'terminate') => {
    if (await confirm(questions[deed])) end.mutate(deed);
  };
  const isGoingOn = isRunning(status);
  return (
    <>
      {workflow.data && (
        <Button icon="play" onClick={() => setOpen('again')}>
          Run again
        </Button>
      )}
      {isGoingOn && (
        <Button icon="stop" busy={end.isPending} onClick={() => void ask('cancel')}>
          Cancel
        </Button>
      )}
      <Menu
        label="Actions for this execution"
        items={[
          { label: 'Reset to an earlier turn', onSelect: () => setOpen('reset') },
          ...(isGoingOn ? [{ label: 'Terminate', danger: true, onSelect: () => void ask('terminate') }] : []),
        ]}
      />
      {open === 'reset' && <ResetDialog execution={execution} onClose={() => setOpen(undefined)} />}
      {open === 'again' && workflow.data && (
        <RunDialog workflow={workflow.data} initial={input} onClose={() => setOpen(undefined)} />
      )}
    </>
  );
}
