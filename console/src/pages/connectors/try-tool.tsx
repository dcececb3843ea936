import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorNotice } from '../../ui/error-state.tsx';
import { SchemaFields } from '../../ui/schema-form/schema-fields.tsx';
import { useSchemaForm } from '../../ui/schema-form/use-schema-form.ts';
import { connectorPath, type MCPTool, usesQuery } from './queries.ts';

/** A form for the arguments of a tool, by its schema, and the result of the call. */
export function TryTool({ id, tool, onClose }: { id: string; tool: MCPTool; onClose: () => void }) {
  const form = useSchemaForm(tool.inputSchema);
  const client = useQueryClient();
  const call = useMutation({
    mutationFn: (given: unknown) =>
      api.post<unknown>(`${connectorPath(id)}/tools/${encodeURIComponent(tool.name)}/call`, {
        arguments: given ?? {},
      }),
    onSettled: () => client.invalidateQueries(usesQuery(id)),
  });
  const submit = () => {
    const read = form.read();
    if (read) call.mutate(read.value);
  };
  return (
    <Dialog
      title={`Try ${tool.name}`}
      wide
      onClose={onClose}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" look="primary" icon="play" busy={call.isPending}>
            Call
          </Button>
        </>
      }
    >
      <div className="stack">
        <SchemaFields form={form} label="Arguments" />
        <ErrorNotice error={call.error} />
        {call.data !== undefined && <CodeBlock title="Result" code={JSON.stringify(call.data, null, 2)} />}
        <CodeBlock title="Schema" code={JSON.stringify(tool.inputSchema, null, 2)} />
      </div>
    </Dialog>
  );
}
