import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useToast } from '../../ui/toast.tsx';
import { organizationKey } from './queries.ts';

/** A mutation that reloads the organization's lists and reports its outcome in a toast. */
export function useChange<Input, Output>(options: {
  run: (input: Input) => Promise<Output>;
  done?: (output: Output, input: Input) => string | undefined;
  after?: (output: Output, input: Input) => void;
  /** For forms, which show the error themselves. */
  quiet?: boolean;
}) {
  const client = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: options.run,
    onSuccess: async (output, input) => {
      await client.invalidateQueries({ queryKey: organizationKey });
      const text = options.done?.(output, input);
      if (text) toast.success(text);
      options.after?.(output, input);
    },
    onError: (error) => {
      if (!options.quiet) toast.error(error);
    },
  });
}
