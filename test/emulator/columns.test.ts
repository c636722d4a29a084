import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { DUE } from '../../local/emulator/due.ts';
import { CACHE } from './kit.ts';

/** Asked for when somebody comes: it has ended by then, or has begun anew. Nothing happens at that moment itself. */
const READ_WHEN_ASKED = [
  ...['app_invitations.expires_at', 'attempt_budgets.forget_at', 'attempt_budgets.taken', 'attempts.resets_at'],
  ...['email_codes.expires_at', 'form_drafts.expires_at', 'guest_tokens.last_used_at', 'mandates.expires_at'],
  ...['oauth_records.expires_at', 'operator_actions.expires_at', 'passkey_challenges.expires_at'],
  ...['sign_in_links.expires_at', 'webhook_endpoints.previous_until', 'withdrawal_addresses.stop_until'],
  'withdrawal_addresses.usable_at',
  // Requests that can still expire are in pending_requests.
  'requests.expires_at',
];

/** Held for some seconds by a process. They move along with the clock. */
const LEASES = ['processes.seen_at', 'relayers.lease_expires_at'];

/** When something was. Retention counts from some of them, and whatever is too old at a stop goes there. */
const RECORDED = [
  ...['accounts.closed_at', 'accounts.created_at', 'accounts.frozen_at', 'accounts.merged_at', 'api_call_hours.hour'],
  ...['app_counts.counted_until', 'app_counts.whole_since', 'app_hour_delays.hour', 'app_hours.hour'],
  ...['app_invitations.created_at', 'app_keys.created_at', 'app_keys.last_used_at', 'app_keys.revoked_at'],
  ...['app_members.added_at', 'apps.auto_approve_requested_at', 'apps.auto_approve_since', 'apps.created_at'],
  ...['archived_months.began_at', 'archived_months.moved_at', 'archived_months.detaching_at'],
  'archived_months.detached_at',
  ...['apps.deleted_at', 'apps.suspended_at', 'apps.verified_at', 'broadcasts.resent_at', 'broadcasts.sent_at'],
  ...['consents.granted_at', 'consents.revoked_at', 'data_keys.created_at', 'data_keys.seals_since'],
  ...['deliveries.created_at', 'deliveries.delivered_at', 'deliveries.last_failed_at', 'economy_cursor.block_at'],
  ...['economy_cursor.whole_at', 'economy_days.taken_at', 'economy_flows.starts', 'economy_lists.taken_at'],
  ...['economy_new_payers.starts', 'economy_undo.before_at', 'email_codes.spent_at', 'events.created_at'],
  ...['former_emails.left_at', 'guest_tokens.created_at', 'guest_tokens.revoked_at', 'idempotency_keys.created_at'],
  ...['kept_copies.said_at', 'last_audit.equal_at', 'last_audit.finished_at', 'learned_gas.learned_at'],
  ...['learned_tip.learned_at', 'left_in_order.left_at', 'liability_publications.published_at'],
  ...['liability_publications.withdrawn_at', 'mails.created_at', 'mandates.created_at', 'mandates.revoked_at'],
  ...['oauth_records.consumed_at', 'oauth_records.created_at', 'oauth_records.used_at', 'open_transfers.accepted_at'],
  ...['operator_actions.asked_at', 'operator_actions.decided_at', 'operator_log_checkpoints.created_at'],
  ...['operator_log_checks.checked_at', 'operator_log_checks.head_written_at', 'operator_log_names.created_at'],
  ...['operators.added_at', 'orphaned_deposits.orphaned_at', 'passkeys.created_at', 'passkeys.last_used_at'],
  ...['passwords.changed_at', 'pay_batch_rows.added_at', 'pay_batches.created_at', 'player_refusals.last_at'],
  ...['postings.posted_at', 'processes.started_at', 'recovered_payments.decided_at', 'refused_mails.since'],
  ...['relayers.created_at', 'reports.created_at', 'reports.resolved_at', 'requests.created_at'],
  ...['requests.transition_times', 'rewards.granted_at', 'seed.created_at', 'seed.wrapped_at'],
  ...['sign_in_links.used_at', 'signing_keys.created_at', 'suspension.accepted_at', 'suspension.since'],
  ...['sweeps.began_at', 'sweeps.finished_at', 'transactions.created_at', 'transfers.created_at'],
  ...['users.became_full_at', 'users.closed_at', 'users.created_at', 'webhook_endpoints.created_at'],
  ...['webhook_endpoints.disabled_at', 'webhook_endpoints.failing_since', 'withdrawal_addresses.added_at'],
  ...['withdrawal_addresses.stopped_at', 'withdrawals.accepted_at'],
];

/** The columns of the schema that hold moments. */
function momentsOf(schema: string): string[] {
  return [...schema.matchAll(/^CREATE TABLE (\w+) \(\n([\s\S]*?)\n\)/gm)].flatMap(([, table, body]) =>
    [...body!.matchAll(/^ {2}(\w+) timestamp with time zone/gm)].map(([, column]) => `${table}.${column}`),
  );
}

describe('the columns that hold moments', () => {
  it('are known to a clock that is moved: whether something happens at them, and whether they move along', () => {
    const schema = readFileSync(new URL('../../migrations/schema.sql', import.meta.url), 'utf8');
    const due = Object.entries(DUE).map(([table, column]) => `${table}.${column}`);
    const known = [...due, ...READ_WHEN_ASKED, ...LEASES, ...RECORDED];
    const unknown = momentsOf(schema).filter((column) => !known.includes(column));
    assert.deepEqual(
      unknown,
      [],
      'if a loop does something when that moment comes, it belongs to DUE in local/emulator/due.ts; otherwise to a list above',
    );
    assert.deepEqual(known.toSorted(), momentsOf(schema).toSorted(), 'each once, and none that is gone');
  });

  it('get the moved time by default, while leases stay and addresses become ready', async () => {
    const program = new URL('moved-columns.ts', import.meta.url).pathname;
    const { stdout } = await promisify(execFile)(process.execPath, [program], {
      env: { ...process.env, ...CACHE },
    });
    const { defaults, unmoved, leases, states } = JSON.parse(stdout);
    assert.ok(Object.keys(defaults).length > 40, 'all are found');
    const { 'app_counts.whole_since': since, 'withdrawal_addresses.stop_until': until, ...others } = defaults;
    assert.deepEqual({ since, until }, { since: -26, until: 34 });
    assert.deepEqual(
      Object.entries(others).filter(([, days]) => days !== 4),
      [],
    );
    assert.deepEqual(unmoved, [], 'rows that the service has made since');
    assert.deepEqual(leases.after, leases.before);
    assert.deepEqual(states, ['waiting', 'waiting', 'ready']);
  });
});
