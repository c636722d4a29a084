import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import type { CliContext } from '../../src/cli/command.ts';
import { type ConfirmOptions, confirm } from '../../src/cli/confirm.ts';
import { CommandEnd } from '../../src/cli/exit-codes.ts';

/** Asks with `answer` typed on a terminal, or with no terminal if it is null. */
async function ask(answer: string | null, options: ConfirmOptions = {}) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const input = Object.assign(new PassThrough(), { isTTY: answer !== null });
  input.end(answer ?? 'y\n');
  const context = { in: input, out, err } as unknown as CliContext;
  const asked = { what: 'Quarters  1,000\n', question: 'Pay them?' };
  const ended = await confirm(context, options, asked).then(
    () => 'agreed',
    (error: unknown) => (error instanceof CommandEnd ? error.reason : error),
  );
  out.end();
  err.end();
  return { ended, out: await text(out), err: await text(err) };
}

describe('a command that asks first', () => {
  it('shows what will happen on stderr and continues after y or yes', async () => {
    for (const answer of ['y\n', 'YES\n', ' yes \r\n']) {
      const shown = 'Quarters  1,000\n\nPay them? [y/N] ';
      assert.deepEqual(await ask(answer), { ended: 'agreed', out: '', err: shown });
    }
  });

  it('does nothing after any other answer, or none', async () => {
    for (const answer of ['\n', 'n\n', 'yeah\n', 'no y\n', ''])
      assert.equal((await ask(answer)).ended, 'failed', answer);
  });

  it('does not take a pipe for an answer', async () => {
    const { ended, err } = await ask(null);
    assert.deepEqual([ended, err], ['wrongUsage', 'Quarters  1,000\n']);
  });

  it('does not ask with --yes', async () => {
    assert.deepEqual(await ask(null, { yes: true }), { ended: 'agreed', out: '', err: '' });
  });
});
