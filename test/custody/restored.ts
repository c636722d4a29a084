import assert from 'node:assert/strict';
import { runCommand } from '../kit/service/run-command.ts';
import type { TestService } from '../kit/service/service.ts';

/** Runs `quarters restore`, which has to succeed. Returns what it says for programs. */
export async function restored({ service }: TestService) {
  const { code, out, err } = await runCommand(service, 'restore', '--yes', '--json');
  assert.equal(code, 0, err + out);
  return JSON.parse(out);
}
