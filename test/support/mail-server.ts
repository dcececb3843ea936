import { SMTPServer } from 'smtp-server';
import { atEnd } from './cleanup.ts';

export type ReceivedMail = { to: string[]; text: string };

/** A mail server for the user `tram` with the password `p@ss`. `settings` is what the file says of it. */
export async function startMailServer() {
  const received: ReceivedMail[] = [];
  let refusals = 0;
  let wake = () => {};
  const smtp = new SMTPServer({
    authOptional: false,
    // The password crosses the loopback of a test; a real server has TLS.
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      username === 'tram' && password === 'p@ss' ? done(null, { user: 'tram' }) : done(new Error('no')),
    onData(stream, session, done) {
      let text = '';
      stream.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      stream.on('end', () => {
        if (refusals-- > 0) return done(Object.assign(new Error('later'), { responseCode: 451 }));
        const to = session.envelope.rcptTo.map(({ address }) => address);
        received.push({ to, text: decodeQuotedPrintable(text) });
        done();
        wake();
      });
    },
  });
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
  atEnd(() => smtp.close());
  const { port } = smtp.server.address() as { port: number };
  return {
    settings: {
      host: '127.0.0.1',
      port,
      security: 'none',
      user: 'tram',
      password: 'p@ss',
      from: 'AI <ai@example.test>',
    },
    received,
    /** Once there are so many. */
    async next(count: number): Promise<ReceivedMail[]> {
      while (received.length < count)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return received;
    },
    refuse(count: number) {
      refusals = count;
    },
  } as const;
}

function decodeQuotedPrintable(text: string): string {
  const joined = text.replaceAll(/=\r?\n/g, '');
  const bytes = joined.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
