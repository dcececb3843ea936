import { describeProgress, pullModel } from '../../weights.ts';
import type { Context, ExitCode } from '../command.ts';
import { listenForSignals } from '../listen-for-signals.ts';
import { readConfig } from '../read-config.ts';

export async function pull(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const config = readConfig(context);
  const model = args.parameter('model');
  const cancel = new AbortController();
  void listenForSignals(() => process.exit(1)).then(() =>
    cancel.abort(new Error('stopped; the same command goes on from here')),
  );
  const pulled = await pullModel(config, model, {
    sha256: args.text('sha256'),
    signal: cancel.signal,
    onProgress: (progress) => output.progress(`${progress.file}: ${describeProgress(progress)}`),
  });
  output.result(pulled, `${pulled.id} is here: ${pulled.file}\nsha256 ${pulled.sha256}`);
  return 0;
}
