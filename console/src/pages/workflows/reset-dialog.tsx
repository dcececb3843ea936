import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { formatMoment } from '../../ui/format.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useToast } from '../../ui/toast.tsx';
import { type Execution, executionPath, executionsKey, historyQuery } from './queries.ts';
import { isRunning } from './statuses.ts';
import { readResetPoints } from './timeline/read-timers.ts';

/** Resets to the end of a turn and replays from there in a new run. */
export function ResetDialog({ execution, onClose }: { execution: Execution; onClose: () => void }) {
  const history = useQuery(historyQuery(execution.run_id ?? '', isRunning(execution.status)));
  const points = readResetPoints(history.data ?? []).reverse();
  const [chosen, setChosen] = useState('');
  const [reason, setReason] = useState('');
  const [keepsMessages, setKeepsMessages] = useState(true);
  const point = chosen || String(points[0]?.eventId ?? '');
  const client = useQueryClient();
  const toast = useToast();
  const reset = useMutation({
    mutationFn: () =>
      api.post(`${executionPath(execution.execution_id)}/reset`, {
        event_id: Number(point),
        ...(reason.trim() ? { reason: reason.trim() } : {}),
        exclude_signals: !keepsMessages,
        exclude_updates: !keepsMessages,
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: executionsKey });
      toast.success('Execution reset; it continues in a new run.');
      onClose();
    },
  });
  return (
    <Dialog
      title="Reset to an earlier turn"
      onClose={onClose}
      onSubmit={() => reset.mutate()}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" busy={reset.isPending} disabled={point === ''}>
            Reset
          </Button>
        </>
      }
    >
      <Loaded query={history}>
        {() =>
          points.length === 0 ? (
            <Notice>No turn has completed yet, so there is nothing to reset to.</Notice>
          ) : (
            <div className="stack">
              <p>
                A new run starts with the history up to this turn.{' '}
                {isRunning(execution.status) && 'The current run is terminated. '}
                Later steps run again, including those that succeeded.
              </p>
              <SelectField
                label="Turn"
                value={point}
                onChange={setChosen}
                options={points.map(({ eventId, atMs }, at) => ({
                  value: String(eventId),
                  label: `Turn ${points.length - at}, ${formatMoment(atMs)} (event ${eventId})`,
                }))}
              />
              <CheckField
                label="Keep signals and updates that came later"
                checked={keepsMessages}
                onChange={(event) => setKeepsMessages(event.target.checked)}
              />
              <TextField
                label="Reason"
                hint="Recorded in the history. Optional."
                value={reason}
                onChange={(event) => setReason(event.target.value)}
              />
              <ErrorNotice error={reset.error} />
            </div>
          )
        }
      </Loaded>
    </Dialog>
  );
}
