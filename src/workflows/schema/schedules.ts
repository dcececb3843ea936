import { z } from 'zod';
import { queryInt } from '../../kit/http/index.ts';

const text = z.string().nullable().optional();
const name = z.string().max(256).nullable().optional();
const ISO_TIME = z.iso.datetime({ offset: true, local: true });
const Time = z
  .string()
  .max(64)
  .refine((given) => ISO_TIME.safeParse(given).success, { message: 'this must be a time in ISO 8601' })
  // Not `date-time`, which requires an offset.
  .meta({ pattern: ISO_TIME.def.pattern?.source });
/** ISO 8601; the service validates it, with a better message than a pattern. */
const Duration = z.string().max(64).meta({ format: 'duration' });

const ScheduleRange = z
  .strictObject({ start: z.int(), end: z.int().default(0), step: z.int().min(0).default(0) })
  .meta({ id: 'ScheduleRange' });

const ranges = (start: number, end: number) =>
  z
    .array(ScheduleRange)
    .max(100)
    .default([{ start, end, step: 0 }]);

export const ScheduleCalendar = z
  .strictObject({
    second: ranges(0, 0),
    minute: ranges(0, 0),
    hour: ranges(0, 0),
    day_of_month: ranges(1, 31),
    month: ranges(1, 12),
    year: z.array(ScheduleRange).max(100).default([]),
    day_of_week: ranges(0, 6),
    comment: z.string().max(1000).nullable().optional(),
  })
  .meta({ id: 'ScheduleCalendar' });
export type ScheduleCalendar = z.output<typeof ScheduleCalendar>;

export const ScheduleInterval = z
  .strictObject({ every: Duration, offset: Duration.nullable().optional() })
  .meta({ id: 'ScheduleInterval' });
export type ScheduleInterval = z.output<typeof ScheduleInterval>;

/** 1 skip, 2 buffer one, 3 buffer all, 4 cancel other, 5 terminate other, 6 allow all. */
export const ScheduleOverlapPolicy = z
  .literal([1, 2, 3, 4, 5, 6])
  .meta({ id: 'ScheduleOverlapPolicy', type: 'integer' });
export type ScheduleOverlapPolicy = z.output<typeof ScheduleOverlapPolicy>;

const YEAR_SECONDS = 31_536_000;

export const SchedulePolicy = z
  .strictObject({
    catchup_window_seconds: z.int().min(0).max(YEAR_SECONDS).default(YEAR_SECONDS),
    overlap: ScheduleOverlapPolicy.default(1),
    pause_on_failure: z.boolean().default(false),
  })
  .meta({ id: 'SchedulePolicy' });
export type SchedulePolicy = z.output<typeof SchedulePolicy>;

const timetable = {
  calendars: z.array(ScheduleCalendar).max(100).optional(),
  intervals: z.array(ScheduleInterval).max(100).optional(),
  cron_expressions: z.array(z.string().max(256)).max(100).optional(),
  skip: z.array(ScheduleCalendar).max(100).optional(),
  start_at: Time.nullable().optional(),
  end_at: Time.nullable().optional(),
  jitter: Duration.nullable().optional(),
  time_zone_name: z.string().max(64).nullable().optional(),
  policy: SchedulePolicy.optional(),
};

const ScheduleId = z.string().min(1).max(200);
const max_executions = z.int().min(1).nullable().optional();

export const ScheduleDefinition = z
  .strictObject({ ...timetable, input: z.unknown(), max_executions, schedule_id: ScheduleId.nullable().optional() })
  .meta({ id: 'ScheduleDefinition' });
export type ScheduleDefinition = z.output<typeof ScheduleDefinition>;

/** The fields that determine the start times. */
export type TimetableDefinition = Pick<
  ScheduleDefinition,
  'calendars' | 'intervals' | 'cron_expressions' | 'skip' | 'start_at' | 'end_at' | 'jitter' | 'time_zone_name'
>;

export const PartialScheduleDefinition = z
  .strictObject({ ...timetable, input: z.unknown().optional(), max_executions })
  .meta({ id: 'PartialScheduleDefinition' });
export type PartialScheduleDefinition = z.output<typeof PartialScheduleDefinition>;

const ScheduleFutureExecution = z.object({ scheduled_at: z.iso.datetime() }).meta({ id: 'ScheduleFutureExecution' });
const ScheduleRecentExecution = z
  .object({ scheduled_at: z.iso.datetime(), started_at: z.iso.datetime(), execution_id: z.string() })
  .meta({ id: 'ScheduleRecentExecution' });

export const ScheduleDefinitionOutput = z
  .object({
    ...timetable,
    input: z.unknown(),
    schedule_id: z.string(),
    remaining_executions: z.int().nullable().optional(),
    workflow_name: z.string(),
    deployment_name: text,
    paused: z.boolean(),
    note: text,
    future_executions: z.array(ScheduleFutureExecution).optional(),
    recent_executions: z.array(ScheduleRecentExecution).optional(),
  })
  .meta({ id: 'ScheduleDefinitionOutput' });
export type ScheduleDefinitionOutput = z.output<typeof ScheduleDefinitionOutput>;

export const WorkflowScheduleRequest = z
  .strictObject({
    schedule: ScheduleDefinition,
    workflow_registration_id: z.guid().nullable().optional(),
    workflow_version_id: z.guid().nullable().optional(),
    workflow_identifier: name,
    workflow_task_queue: z.string().max(256).nullable().optional().meta({ deprecated: true }),
    schedule_id: ScheduleId.nullable().optional(),
    deployment_name: name,
  })
  .meta({ id: 'WorkflowScheduleRequest' });
export type WorkflowScheduleRequest = z.output<typeof WorkflowScheduleRequest>;

export const WorkflowScheduleUpdateRequest = z
  .strictObject({ schedule: PartialScheduleDefinition })
  .meta({ id: 'WorkflowScheduleUpdateRequest' });

export const WorkflowScheduleResponse = z.object({ schedule_id: z.string() }).meta({ id: 'WorkflowScheduleResponse' });
export type WorkflowScheduleResponse = z.output<typeof WorkflowScheduleResponse>;

export const WorkflowSchedulePauseRequest = z
  .strictObject({ note: z.string().max(4096).nullable().optional() })
  .meta({ id: 'WorkflowSchedulePauseRequest' });
export const WorkflowScheduleTriggerRequest = z
  .strictObject({ overlap: ScheduleOverlapPolicy.nullable().optional() })
  .meta({ id: 'WorkflowScheduleTriggerRequest' });

export const WorkflowScheduleListResponse = z
  .object({
    schedules: z.array(ScheduleDefinitionOutput),
    next_page_token: z.string().nullable().optional(),
  })
  .meta({ id: 'WorkflowScheduleListResponse' });
export type WorkflowScheduleListResponse = z.output<typeof WorkflowScheduleListResponse>;

export const SchedulesQuery = z.strictObject({
  workflow_name: z.string().optional(),
  user_id: z.string().optional(),
  status: z.enum(['active', 'paused']).optional(),
  search: z.string().optional(),
  page_size: queryInt().min(1).max(1000).optional(),
  next_page_token: z.string().optional(),
});
export type SchedulesQuery = z.output<typeof SchedulesQuery>;

export const ScheduleParams = z.strictObject({ schedule_id: z.string() });
