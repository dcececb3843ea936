import { CommandFailure } from '../../operator/command-failure.ts';
import { type ApiClient, findServer, openApi } from '../shell/api-client.ts';
import type { Context } from '../shell/command.ts';
import { UsageError } from '../shell/command.ts';
import { openLive } from './live-client.ts';
import { openSource } from './open-source.ts';

type Card = { id: string; capabilities: { audio_transcription_realtime?: boolean } };

/** Prints words as they come; under --json each message is a line. Ctrl-C ends the recording, and the last words still come. */
export async function listen(context: Context): Promise<undefined> {
  const { args, output, environment } = context;
  const api = openApi(context);
  const model = args.text('model') ?? (await findModel(api));
  const delay = args.text('delay');
  if (delay !== undefined && !/^\d{1,5}$/.test(delay))
    throw new UsageError('--delay must be a number of milliseconds.');
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.once('SIGINT', stop);
  try {
    const source = await openSource({
      from: args.text('from'),
      rate: args.text('rate'),
      encoding: args.text('encoding'),
      device: args.text('device'),
      environment,
      signal: stopping.signal,
    });
    const language = args.text('language');
    const live = await openLive(findServer(context), model, {
      audio_format: source.format,
      ...(language === undefined ? {} : { language }),
      ...(delay === undefined ? {} : { target_streaming_delay_ms: Number(delay) }),
    });
    if (source.isMicrophone) output.note(`Listening with ${source.name} and ${model}. Press Ctrl-C to stop.`);
    let hasWords = false;
    let failure: unknown;
    const feeding = feed(live, source.sound).catch((error: unknown) => {
      failure = error;
      live.close();
    });
    try {
      for await (const message of live.messages) {
        if (args.flag('json')) output.result(message, '');
        else if (message.type === 'transcription.text.delta') {
          output.raw(String(message.text));
          hasWords = true;
        }
      }
      await feeding;
    } catch (error) {
      // Of a microphone that failed, the end of the session is only a consequence.
      throw failure ?? error;
    } finally {
      if (hasWords) output.raw('\n');
    }
  } finally {
    process.removeListener('SIGINT', stop);
    stopping.abort();
  }
}

async function feed(live: Awaited<ReturnType<typeof openLive>>, sound: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of sound) await live.append(piece);
  await live.end();
}

async function findModel(api: ApiClient): Promise<string> {
  const { data } = await api.get<{ data: Card[] }>('/v1/models');
  const found = data.find(({ capabilities }) => capabilities.audio_transcription_realtime);
  if (!found) throw new CommandFailure('This server has no model that follows live audio. See npx tramontane models.');
  return found.id;
}
