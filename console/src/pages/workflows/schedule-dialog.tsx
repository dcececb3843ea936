import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { WorkflowScheduleResponse } from '../../../../src/workflows/schema/schedules.ts';
import { api } from '../../api/api.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { EntityDialog } from '../../ui/entity-dialog.tsx';
import fieldStyles from '../../ui/field.module.css';
import { SelectField, TextField } from '../../ui/field.tsx';
import { SchemaFields } from '../../ui/schema-form/schema-fields.tsx';
import { useSchemaForm } from '../../ui/schema-form/use-schema-form.ts';
import { Segments } from '../../ui/segments.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { overlaps } from './describe-schedule.ts';
import { registrationsQuery, type Schedule, schedulePath, schedulesKey, workflowsQuery } from './queries.ts';

type Scheduled = { id: string; name: string; display_name: string };
type Props = {
  workflow?: Scheduled;
  /** The schedule to edit; omitted for a new one. */
  schedule?: Schedule;
  onClose: () => void;
};

const kinds = [
  { value: 'cron', label: 'Cron' },
  { value: 'interval', label: 'Interval' },
] as const;
const units = [
  { value: 'M', label: 'minutes' },
  { value: 'H', label: 'hours' },
  { value: 'D', label: 'days' },
] as const;
type Unit = (typeof units)[number]['value'];

/** Creates or edits a schedule. Settings without an input keep their values. */
export function ScheduleDialog({ workflow, schedule, onClose }: Props) {
  const [chosen, setChosen] = useState(workflow?.name ?? schedule?.workflow_name ?? '');
  const workflows = useQuery(workflowsQuery({ show: 'current', search: '', cursor: undefined }));
  const known = workflow ?? workflows.data?.workflows.find(({ name }) => name === chosen);
  const title = schedule ? `Edit ${schedule.schedule_id}` : 'New schedule';
  const registrations = useQuery({ ...registrationsQuery(known?.id ?? '', false), enabled: known !== undefined });
  const schema = registrations.data?.[0]?.definition.input_schema;
  const choice = !workflow && !schedule && (
    <SelectField
      label="Workflow"
      value={chosen}
      onChange={setChosen}
      options={[
        { value: '', label: 'Choose', disabled: true },
        ...(workflows.data?.workflows ?? []).map(({ name, display_name }) => ({ value: name, label: display_name })),
      ]}
    />
  );
  if (known && schema)
    return (
      <ScheduleForm
        key={known.name}
        title={title}
        workflow={known}
        schema={schema}
        schedule={schedule}
        onClose={onClose}
      >
        {choice}
      </ScheduleForm>
    );
  return (
    <Dialog title={title} wide onClose={onClose}>
      {choice || <Skeleton lines={4} />}
    </Dialog>
  );
}

function ScheduleForm({
  title,
  workflow,
  schema,
  schedule,
  onClose,
  children,
}: {
  title: string;
  workflow: Scheduled;
  schema: Record<string, unknown>;
  schedule: Schedule | undefined;
  onClose: () => void;
  children: React.ReactNode;
}) {
  const form = useSchemaForm(schema, schedule?.input ?? undefined);
  const known = readInterval(schedule);
  const [id, setId] = useState(schedule?.schedule_id ?? '');
  const [kind, setKind] = useState<'cron' | 'interval'>(known ? 'interval' : 'cron');
  const [cron, setCron] = useState((schedule?.cron_expressions ?? []).join('; '));
  const [every, setEvery] = useState(known?.count ?? '1');
  const [unit, setUnit] = useState<Unit>(known?.unit ?? 'H');
  const [zone, setZone] = useState(
    schedule ? (schedule.time_zone_name ?? '') : Intl.DateTimeFormat().resolvedOptions().timeZone,
  );
  const [overlap, setOverlap] = useState(String(schedule?.policy?.overlap ?? 1));
  const navigate = useNavigate();
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (input: unknown) => {
      const timetable = {
        input,
        cron_expressions:
          kind === 'cron'
            ? cron
                .split(';')
                .map((part) => part.trim())
                .filter(Boolean)
            : [],
        intervals: kind === 'interval' ? [{ every: unit === 'D' ? `P${every}D` : `PT${every}${unit}` }] : [],
        time_zone_name: zone.trim() || null,
        policy: { ...schedule?.policy, overlap: Number(overlap) },
      };
      return schedule
        ? api.patch<WorkflowScheduleResponse>(schedulePath(schedule.schedule_id), { schedule: timetable })
        : api.post<WorkflowScheduleResponse>('/v1/workflows/schedules', {
            workflow_identifier: workflow.name,
            ...(id.trim() ? { schedule_id: id.trim() } : {}),
            schedule: timetable,
          });
    },
    onSuccess: async ({ schedule_id }) => {
      await client.invalidateQueries({ queryKey: schedulesKey });
      await navigate({ to: '/workflows/schedules/$scheduleId', params: { scheduleId: schedule_id } });
      onClose();
    },
    onError: (error) => form.showErrors(error, 'schedule.input'),
  });
  const submit = () => {
    const read = form.read();
    if (read) save.mutate(read.value);
  };
  return (
    <EntityDialog
      title={title}
      wide
      action={schedule ? 'Save' : 'Create'}
      save={save}
      onSave={submit}
      onClose={onClose}
    >
      {children}
      {!schedule && (
        <TextField
          label="ID"
          fills="schedule_id"
          hint="Optional. Generated if left empty."
          maxLength={200}
          value={id}
          onChange={(event) => setId(event.target.value)}
        />
      )}
      <div>
        <Segments label="Schedule type" options={kinds} value={kind} onChange={setKind} />
      </div>
      {kind === 'cron' ? (
        <div className="columns">
          <TextField
            label="Cron expression"
            fills="schedule.cron_expressions"
            required
            placeholder="30 7 * * mon-fri"
            hint="Minute, hour, day, month, weekday. Separate several with semicolons."
            className={fieldStyles.code}
            value={cron}
            onChange={(event) => setCron(event.target.value)}
          />
          <TextField
            label="Time zone"
            fills="schedule.time_zone_name"
            placeholder="UTC"
            hint="e.g. Europe/Paris. Leave empty for UTC."
            value={zone}
            onChange={(event) => setZone(event.target.value)}
          />
        </div>
      ) : (
        <div className="columns">
          <TextField
            label="Every"
            fills="schedule.intervals"
            required
            inputMode="numeric"
            pattern="[1-9][0-9]*"
            value={every}
            onChange={(event) => setEvery(event.target.value)}
          />
          <SelectField label="Unit" value={unit} onChange={setUnit} options={units} />
        </div>
      )}
      <SelectField
        label="If the previous run is still active"
        fills="schedule.policy"
        value={overlap}
        onChange={setOverlap}
        options={overlaps.map(({ value, label }) => ({ value: value as string, label }))}
      />
      <SchemaFields form={form} label="Input" />
    </EntityDialog>
  );
}

/** Intervals that the form can show: a whole number of one unit. */
function readInterval(schedule: Schedule | undefined): { count: string; unit: Unit } | undefined {
  const [, time, count, unit] = schedule?.intervals?.[0]?.every.match(/^P(T?)(\d+)([DHM])$/) ?? [];
  if (!count || !unit || (unit === 'D') === (time === 'T')) return undefined;
  return { count, unit: unit as Unit };
}
