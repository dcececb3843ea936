/** A line of a log, as it is stored. Texts that are unknown are empty. */
export type LogRow = {
  workspace_id: string;
  time_us: number;
  log_id: string;
  trace_id: string;
  span_id: string;
  organization_id: string;
  user_id: string;
  /** OpenTelemetry's, from 1 to 24; 0 is unknown. */
  severity_number: number;
  severity_text: string;
  service_name: string;
  body: string;
  event_name: string;
  /** What few lines have. */
  details: LogDetails | null;
};

export type LogDetails = {
  trace_flags?: number;
  scope_name?: string;
  scope_version?: string;
  scope_schema_url?: string;
  resource_schema_url?: string;
  resource_attributes?: Record<string, string>;
  scope_attributes?: Record<string, string>;
  log_attributes?: Record<string, string>;
};
