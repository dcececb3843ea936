/** The filters of the list, which are its address. */
export type RequestFilters = {
  period?: string;
  status?: string;
  operation?: string;
  model?: string;
  slow?: string;
  where?: string;
  live?: boolean;
};

export const PERIODS = [
  { value: '1h', label: 'Last hour', hours: 1 },
  { value: '24h', label: 'Last 24 hours', hours: 24 },
  { value: '7d', label: 'Last 7 days', hours: 168 },
  { value: '30d', label: 'Last 30 days', hours: 720 },
] as const;

export const periodOf = ({ period }: RequestFilters) => PERIODS.find(({ value }) => value === period) ?? PERIODS[1];

const NS_PER_SECOND = 1_000_000_000;

/** The search expression of the API. What a user typed is in parentheses, so that its OR stays within. */
export function toExpression({ status, operation, model, slow, where }: RequestFilters): string | undefined {
  const parts = [
    status === 'error' && "status_code = 'Error'",
    status === 'ok' && "status_code != 'Error'",
    operation && `operation_name = ${quote(operation)}`,
    model && `request_model = ${quote(model)}`,
    slow && Number(slow) > 0 && `duration_ns > ${Math.round(Number(slow) * NS_PER_SECOND)}`,
    where?.trim() && `(${where.trim()})`,
  ].filter((part) => typeof part === 'string' && part !== '');
  return parts.length > 0 ? parts.join(' AND ') : undefined;
}

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
