import type { z } from 'zod';
import { readBool, readInt, readNumber } from './query-types.ts';
import { defOf, intFormatOf, pythonRepr, stringFormatOf } from './schema-names.ts';

type Words = { type: string; msg: string; ctx?: Record<string, unknown> };
type Issue = z.core.$ZodIssue;
type Schema = z.core.$ZodType | undefined;

/**
 * Pydantic's message for one issue. Where our schemas are stricter than pydantic ('12' for an integer) the message is that of
 * its strict mode, otherwise of its lenient mode.
 */
export function describeIssue(issue: Issue, schema: Schema, value: unknown): Words {
  switch (issue.code) {
    case 'invalid_type':
      return describeType(issue.expected, schema, value);
    case 'invalid_value':
      return describeChoice(issue.values, schema);
    case 'too_big':
    case 'too_small':
      return describeBound(issue, schema, value);
    case 'not_multiple_of':
      return words('multiple_of', `Input should be a multiple of ${issue.divisor}`, {
        multiple_of: Number(issue.divisor),
      });
    case 'invalid_format':
      return describeFormat(issue, typeof value === 'string' ? value : '');
    default:
      // FastAPI renders the Python exception under `error` as an empty object.
      return words('value_error', `Value error, ${issue.message}`, { error: {} });
  }
}

function words(type: string, msg: string, ctx?: Record<string, unknown>): Words {
  return ctx ? { type, msg, ctx } : { type, msg };
}

const typeWords: Record<string, Words> = {
  array: words('list_type', 'Input should be a valid list'),
  tuple: words('tuple_type', 'Input should be a valid tuple'),
  object: words('model_attributes_type', 'Input should be a valid dictionary or object to extract fields from'),
  record: words('dict_type', 'Input should be a valid dictionary'),
  null: words('none_required', 'Input should be None'),
  date: words('datetime_type', 'Input should be a valid datetime'),
  nonoptional: words('missing', 'Field required'),
  // A key declared as `z.never()` is forbidden.
  never: words('extra_forbidden', 'Extra inputs are not permitted'),
};

const stringTypeWords: Record<string, Words> = {
  uuid: words('uuid_type', 'UUID input should be a string, bytes or UUID object'),
  guid: words('uuid_type', 'UUID input should be a string, bytes or UUID object'),
  url: words('url_type', 'URL input should be a string or URL'),
  datetime: words('datetime_type', 'Input should be a valid datetime'),
  date: words('date_type', 'Input should be a valid date'),
};

function describeType(expected: string, schema: Schema, value: unknown): Words {
  switch (expected) {
    case 'string':
      return (
        stringTypeWords[(schema && stringFormatOf(schema)) ?? ''] ??
        words('string_type', 'Input should be a valid string')
      );
    case 'int':
      return describeInt(value);
    case 'number':
      return schema && intFormatOf(schema) ? describeInt(value) : describeFloat(value);
    case 'boolean':
      return describeBool(value);
    default:
      return typeWords[expected] ?? words('value_error', `Value error, expected ${expected}`, { error: {} });
  }
}

const integerTooLarge = words('int_parsing_size', 'Unable to parse input string as an integer, exceeded maximum size');

function describeInt(value: unknown): Words {
  const number = typeof value === 'string' ? readInt(value) : value;
  if (typeof value === 'string' && number === undefined) {
    return words('int_parsing', 'Input should be a valid integer, unable to parse string as an integer');
  }
  if (typeof value === 'string' && !Number.isSafeInteger(number)) return integerTooLarge;
  if (typeof value === 'number' && !Number.isFinite(value))
    return words('finite_number', 'Input should be a finite number');
  if (typeof value === 'number' && !Number.isInteger(value)) {
    return words('int_from_float', 'Input should be a valid integer, got a number with a fractional part');
  }
  return words('int_type', 'Input should be a valid integer');
}

function describeFloat(value: unknown): Words {
  const number = typeof value === 'string' ? readNumber(value) : value;
  if (typeof value === 'string' && number === undefined) {
    return words('float_parsing', 'Input should be a valid number, unable to parse string as a number');
  }
  if (typeof number === 'number' && !Number.isFinite(number))
    return words('finite_number', 'Input should be a finite number');
  return words('float_type', 'Input should be a valid number');
}

function describeBool(value: unknown): Words {
  const unreadable =
    typeof value === 'string' ? readBool(value) === undefined : Number.isInteger(value) && value !== 0 && value !== 1;
  if (unreadable) return words('bool_parsing', 'Input should be a valid boolean, unable to interpret input');
  return words('bool_type', 'Input should be a valid boolean');
}

function describeChoice(values: readonly unknown[], schema: Schema): Words {
  const shown = values.map(pythonRepr);
  const last = shown.pop() ?? '';
  const expected = shown.length > 0 ? `${shown.join(', ')} or ${last}` : last;
  return words(schema && defOf(schema).type === 'enum' ? 'enum' : 'literal_error', `Input should be ${expected}`, {
    expected,
  });
}

/** Zod's own limit on integers, as opposed to a bound the schema declares. */
export function isBeyondSafeInteger(issue: Issue): boolean {
  return (issue.code === 'too_big' || issue.code === 'too_small') && issue.origin === 'int';
}

const int32Bounds: Record<string, { le: number; ge: number }> = {
  int32: { le: 2 ** 31 - 1, ge: -(2 ** 31) },
  uint32: { le: 2 ** 32 - 1, ge: 0 },
};

function describeBound(
  issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall,
  schema: Schema,
  value: unknown,
): Words {
  const isMaximum = issue.code === 'too_big';
  let bound = Number(isMaximum ? issue.maximum : issue.minimum);
  if (typeof value === 'string' && issue.origin === 'string') {
    const [type, key, how] = isMaximum
      ? ['string_too_long', 'max_length', 'at most']
      : ['string_too_short', 'min_length', 'at least'];
    return words(type, `String should have ${how} ${bound} character${bound === 1 ? '' : 's'}`, { [key]: bound });
  }
  if (Array.isArray(value)) {
    const [type, key, how] = isMaximum
      ? ['too_long', 'max_length', 'at most']
      : ['too_short', 'min_length', 'at least'];
    const field_type = schema && defOf(schema).type === 'tuple' ? 'Tuple' : 'List';
    const msg = `${field_type} should have ${how} ${bound} item${bound === 1 ? '' : 's'} after validation, not ${value.length}`;
    return words(type, msg, { field_type, [key]: bound, actual_length: value.length });
  }
  if (isBeyondSafeInteger(issue)) {
    const limits = int32Bounds[(schema && intFormatOf(schema)) ?? ''];
    if (!limits) return integerTooLarge;
    bound = isMaximum ? limits.le : limits.ge;
  }
  if (isMaximum) {
    return issue.inclusive
      ? words('less_than_equal', `Input should be less than or equal to ${bound}`, { le: bound })
      : words('less_than', `Input should be less than ${bound}`, { lt: bound });
  }
  return issue.inclusive
    ? words('greater_than_equal', `Input should be greater than or equal to ${bound}`, { ge: bound })
    : words('greater_than', `Input should be greater than ${bound}`, { gt: bound });
}

function describeFormat(issue: z.core.$ZodIssueInvalidStringFormat, text: string): Words {
  switch (issue.format) {
    case 'uuid':
    case 'guid':
      return parsing('uuid_parsing', 'Input should be a valid UUID', faultOfUuid(text));
    case 'datetime':
      return describeDatetime(text);
    case 'date':
      return describeDate(text);
    case 'url':
      return describeUrl(issue, text);
    case 'email': {
      const reason = text.includes('@') ? 'The address is not well-formed.' : 'An email address must have an @-sign.';
      return words('value_error', `value is not a valid email address: ${reason}`, { reason });
    }
    default: {
      if (issue.pattern === undefined) return words('value_error', `Value error, ${issue.message}`, { error: {} });
      const pattern = issue.pattern.replace(/^\/(.*)\/[a-z]*$/s, '$1').replaceAll('\\/', '/');
      return words('string_pattern_mismatch', `String should match pattern '${pattern}'`, { pattern });
    }
  }
}

function parsing(type: string, msg: string, error: string): Words {
  return words(type, `${msg}, ${error}`, { error });
}

function faultOfUuid(text: string): string {
  const characters = [...text];
  const at = characters.findIndex((character) => !/[0-9a-f-]/i.test(character));
  if (at >= 0) return `invalid character: found \`${characters[at]}\` at ${at}`;
  const groups = text.split('-');
  if (groups.length === 1 && text.length !== 32) return `invalid length: found ${text.length}`;
  if (groups.length !== 5) return `invalid group count: expected 5, found ${groups.length}`;
  const lengths = [8, 4, 4, 4, 12];
  const group = groups.findIndex((digits, index) => digits.length !== lengths[index]);
  if (group >= 0)
    return `invalid group length in group ${group}: expected ${lengths[group]}, found ${groups[group]?.length}`;
  return 'unexpected version or variant';
}

const tooLong = 'unexpected extra characters at the end of the input';
const clockTime = /^.([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?$/;

/** What is wrong with the first ten characters as a date, if anything. */
function faultOfDate(text: string): string | undefined {
  if (text.length < 10) return 'input is too short';
  if (!/^\d{4}/.test(text)) return 'invalid character in year';
  if (text[4] !== '-') return 'invalid date separator, expected `-`';
  if (!/^\d\d/.test(text.slice(5))) return 'invalid character in month';
  if (text[7] !== '-') return 'invalid date separator, expected `-`';
  if (!/^\d\d/.test(text.slice(8))) return 'invalid character in day';
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10))];
  if (month < 1 || month > 12) return 'month value is outside expected range of 1-12';
  if (day < 1 || day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return 'day value is outside expected range';
  return undefined;
}

function describeDatetime(text: string): Words {
  const fault = faultOfDate(text);
  // Pydantic's message for a type that requires a time zone.
  if (!fault && (text.length === 10 || clockTime.test(text.slice(10))))
    return words('timezone_aware', 'Input should have timezone info');
  return parsing('datetime_from_date_parsing', 'Input should be a valid datetime or date', fault ?? tooLong);
}

function describeDate(text: string): Words {
  const fault =
    faultOfDate(text) ??
    (/^[Tt_ ]/.test(text.slice(10)) ? undefined : 'invalid datetime separator, expected `T`, `t`, `_` or space');
  if (!fault && clockTime.test(text.slice(10).replace(/Z$|[+-]\d\d:\d\d$/, ''))) {
    return words(
      'date_from_datetime_inexact',
      'Datetimes provided to dates should have zero time - e.g. be exact dates',
    );
  }
  return parsing('date_from_datetime_parsing', 'Input should be a valid date or datetime', fault ?? tooLong);
}

function describeUrl(issue: z.core.$ZodIssueInvalidStringFormat, text: string): Words {
  const { note } = issue as { note?: string };
  // The URL schema refuses other schemes before it parses, and does not name what it expects.
  const isOtherThanWeb = note === 'Invalid URL format' && /^(?!https?:)[a-z][a-z0-9+.-]*:/i.test(text);
  if (isOtherThanWeb || note === 'Invalid protocol') {
    const expected_schemes = isOtherThanWeb ? "'http' or 'https'" : pythonRepr(issue.pattern);
    return words('url_scheme', `URL scheme should be ${expected_schemes}`, { expected_schemes });
  }
  return parsing('url_parsing', 'Input should be a valid URL', faultOfUrl(text.trim()));
}

function faultOfUrl(text: string): string {
  if (text === '') return 'input is empty';
  const authority = /^[a-z][a-z0-9+.-]*:[\\/]*([^\\/?#]*)/i.exec(text)?.[1];
  if (authority === undefined) return 'relative URL without a base';
  if (authority === '') return 'empty host';
  if (authority.includes('[')) return 'invalid IPv6 address';
  const port = /:([^:]*)$/.exec(authority)?.[1];
  if (port !== undefined && (!/^\d*$/.test(port) || Number(port) > 65_535)) return 'invalid port number';
  return 'invalid international domain name';
}
