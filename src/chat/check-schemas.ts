import { type ApiError, schemaTooExpensive } from '../kit/http/index.ts';
import {
  createPrepareBudget,
  type JsonSchema,
  prepareSchema,
  SCHEMA_CHARACTERS_MAX,
} from '../kit/json-schema/index.ts';
import type { ChatRequest, EngineTool } from '../models/index.ts';
import { chatErrors } from './errors.ts';
import type { ResponseFormat } from './schema/requests.ts';
import type { AgentTool } from './schema/tools.ts';

type Place = (string | number)[];

const LIMIT = ` of at most ${SCHEMA_CHARACTERS_MAX / 1024} KiB`;

/** Checks the schemas of an admitted request: reading a new one takes longer than all other rules. */
export function checkSchemas({ tools, format }: ChatRequest): void {
  if (tools.length === 0 && format.type !== 'json_schema') return;
  const budget = createPrepareBudget();
  for (const [index, { name, parameters }] of tools.entries()) {
    const prepared = prepareSchema(parameters, budget);
    if (prepared === 'too_expensive') throw toolTooExpensive(index, name);
    if (prepared === 'invalid')
      throw chatErrors.tool_parameters_invalid(`The parameters of tool '${name}' are not a valid JSON schema${LIMIT}.`);
    if (!describesObject(parameters))
      throw chatErrors.tool_parameters_invalid(
        `The parameters of tool '${name}' must be a JSON schema of type 'object'.`,
      );
  }
  if (format.type !== 'json_schema') return;
  const prepared = prepareSchema(format.schema, budget);
  if (prepared === 'too_expensive') throw formatTooExpensive();
  if (prepared === 'invalid')
    throw chatErrors.response_format_invalid(`The schema of response_format is not a valid JSON schema${LIMIT}.`);
}

export function isToolSchema(parameters: EngineTool['parameters']): boolean {
  return describesObject(parameters) && typeof prepareSchema(parameters) === 'object';
}

/** Arguments are always an object, so a schema of another type could never match. */
function describesObject({ type }: EngineTool['parameters']): boolean {
  return type === undefined || type === 'object' || (Array.isArray(type) && type.includes('object'));
}

/** For what is stored now and used later: an expensive schema is refused when it is sent. */
export function refuseExpensiveSchemas(
  tools: readonly AgentTool[],
  formats: { format: ResponseFormat | null | undefined; at: Place }[],
): void {
  const budget = createPrepareBudget();
  const isExpensive = (schema: JsonSchema) => prepareSchema(schema, budget) === 'too_expensive';
  for (const [index, tool] of tools.entries())
    if (tool.type === 'function' && isExpensive(tool.function.parameters))
      throw toolTooExpensive(index, tool.function.name);
  for (const { format, at } of formats)
    if (format?.json_schema && isExpensive(format.json_schema.schema)) throw formatTooExpensive(at);
}

export function toolTooExpensive(index: number, name: string): ApiError {
  const at = ['body', 'tools', index, 'function', 'parameters'];
  return schemaTooExpensive(at, `The parameters of tool '${name}' take too much work to check. Simplify their schema.`);
}

export function formatTooExpensive(at: Place = ['body', 'response_format']): ApiError {
  const msg = 'The schema of the response format takes too much work to check. Simplify it.';
  return schemaTooExpensive([...at, 'json_schema', 'schema'], msg);
}
