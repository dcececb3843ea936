import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { atEnd } from '../../../test/support/cleanup.ts';
import { createMailer } from './index.ts';

/** A mail server that refuses everybody, in the words of their password. */
async function serveRefusals(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('220 mail.test\r\n');
    socket.on('data', (data) => {
      if (String(data).startsWith('EHLO')) return void socket.write('250-mail.test\r\n250 AUTH PLAIN\r\n');
      const [, given = ''] = /^AUTH PLAIN (\S+)/.exec(String(data)) ?? [];
      socket.write(
        `535 ${Buffer.from(given, 'base64').toString().replaceAll('\0', ' ')} (${given}) may not come in\r\n`,
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => void server.close());
  return (server.address() as AddressInfo).port;
}

it('a password that the mail server repeats is not in the error that is written down', async () => {
  const password = 'a-password-0123456789';
  const port = await serveRefusals();
  const settings = { host: '127.0.0.1', port, security: 'none', user: 'somebody', password, from: 'a@b.test' } as const;
  const mailer = await createMailer(settings);
  const error: Error = await mailer.send({ to: 'c@d.test', subject: 's', text: 't' }).then(
    () => expect.unreachable(),
    (reason) => reason,
  );
  mailer.close();
  expect(error.message).toContain('535');
  expect(error.message).toContain('[redacted]');
  expect(`${error.message} ${error.stack}`).not.toMatch(/a-password|YS1wYXNzd29yZ|EtcGFzc3dvcm|hLXBhc3N3b3Jk/);
});
