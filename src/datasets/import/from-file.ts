import { type Line, readLines } from '../../kit/base/read-lines.ts';
import { parseJson } from '../../kit/http/index.ts';
import type { SourcePorts } from '../ports.ts';
import { type ImportRequests, RECORD_BYTES_MAX } from '../schema.ts';
import { type Item, isObject, type Source } from './source.ts';

/** A line may be longer than its record, by its spaces and escapes. */
const LINE_BYTES_MAX = 4 * RECORD_BYTES_MAX;

/** JSON lines: `{"payload": …, "properties": …}` as an export has them, or payloads alone. */
export function fromFile({ files }: Pick<SourcePorts, 'files'>, { file_id }: ImportRequests['file']): Source {
  let bytes = 1;
  let read = 0;
  return {
    async *items(scope, from) {
      const { content } = await files.open(scope, file_id);
      bytes = Math.max(1, content.bytes);
      let number = 0;
      for await (const line of readLines(counted(content.stream()), LINE_BYTES_MAX)) {
        number++;
        if (number > from) yield toItem(line, number);
      }
    },
    progress: () => Math.min(99, Math.floor((read * 100) / bytes)),
  };

  async function* counted(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    read = 0;
    for await (const chunk of content) {
      read += chunk.length;
      yield chunk;
    }
  }
}

function toItem(line: Line, number: number): Item {
  if ('tooLong' in line) return { skipped: `Record ${number} of the file is too large.` };
  let value: unknown;
  try {
    value = parseJson(line.bytes);
  } catch {
    return { skipped: `Record ${number} of the file is not valid JSON.` };
  }
  if (!isObject(value)) return { skipped: `Record ${number} of the file is not a JSON object.` };
  const { payload, properties = {} } = value;
  if (!isObject(payload)) return { payload: value, properties: {}, source: 'UPLOADED_FILE' };
  if (!isObject(properties)) return { skipped: `The properties of record ${number} of the file are not an object.` };
  return { payload, properties, source: 'UPLOADED_FILE' };
}
