import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Address } from '../base/address.ts';
import type { AuditDeps, AuditReport } from '../diagnostics/audit/audit-ledger.ts';
import type { Service } from '../service/service.ts';

/** All that the process needs. It reads no settings, and gets no key. */
export type AuditTask = {
  readonly databaseUrl: string;
  readonly rpcUrls: readonly string[];
  readonly token: Address;
  /** How many differences of a kind, and overdrawn accounts, it names. */
  readonly most: number;
};

/** `report` is null while another process audits. `memory`: the most that the process had, in bytes. */
export type AuditAnswer = { readonly report: AuditReport | null; readonly memory: number } | { readonly fault: string };

const PROGRAM = new URL('./audit-process.ts', import.meta.url);
/** A page of rows needs a few megabytes. Without limits, V8 grows rather than tidies up. */
const LIMITS = ['--max-old-space-size=96', '--max-semi-space-size=8'];
/** Secrets that an audit does not need, whether in a variable, or in a file or a command that one names. */
const WITHHELD = /^(MASTER_KEY|SMTP_URL|DATABASE_URL|CHAIN_RPC_URL)(_FILE|_COMMAND)?$/;

/**
 * Audits in a process of its own, at a low priority: its work and its memory are not the service's, and if it dies,
 * nothing else does. Resolves when the process has ended. Throws when it could not audit or has died.
 */
export async function runAudit(
  { connections, chain }: Pick<Service, 'connections'> & Pick<AuditDeps, 'chain'>,
  most: number,
  signal: AbortSignal,
): Promise<Exclude<AuditAnswer, { fault: string }>> {
  signal.throwIfAborted();
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !WITHHELD.test(name)));
  // A process group of its own: Ctrl-C in the terminal reaches the service, which stops the audit. Amounts are bigint,
  // which JSON cannot carry.
  const child = fork(PROGRAM, {
    serialization: 'advanced',
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: LIMITS,
    env,
  });
  const ended = once(child, 'exit');
  let answer: AuditAnswer | undefined;
  child.once('message', (message) => {
    answer = message as AuditAnswer;
  });
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop);
  try {
    const task: AuditTask = { ...connections, token: chain.contracts.token, most };
    // If it is dead already, its exit says so.
    child.send(task, () => {});
    const [code, how] = await ended;
    signal.throwIfAborted();
    if (!answer) throw new Error(`The process of the audit ended with ${how ?? code} and without an answer.`);
    if ('fault' in answer) throw new Error(answer.fault);
    return answer;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
