import { MAX_QUARTERS } from '../base/quarters.ts';
import { amount, amountOrNone, oneOf, setting, wholeNumber } from './parse.ts';

/** Payments, rewards and payment requests. */
export const PAYMENT_SETTINGS = {
  maxAmount: setting('MAX_AMOUNT', String(MAX_QUARTERS), amount, 'largest single transfer'),
  welcomeReward: setting(
    'WELCOME_REWARD',
    '0',
    amountOrNone,
    "reward in quarters for a full user's first approved transfer; 0 grants none",
  ),
  rewardSharePercent: setting(
    'REWARD_SHARE_PERCENT',
    '0',
    wholeNumber(0, 50),
    'percentage of what full users spend in apps that is granted back as a reward; 0 grants none',
  ),
  rewardsPerUserPerDay: setting(
    'REWARDS_PER_USER_PER_DAY',
    '1000',
    amount,
    'most quarters that the share grants one user per day (UTC)',
  ),
  rewardsPerAppPerDay: setting(
    'REWARDS_PER_APP_PER_DAY',
    '100000',
    amount,
    'most quarters that both grant for payments in one app per day (UTC)',
  ),
  requestTtlSeconds: setting(
    'REQUEST_TTL_SECONDS',
    '900',
    wholeNumber(10, 86_400),
    'seconds after which an undecided request expires',
  ),
  maxPendingRequests: setting(
    'MAX_PENDING_REQUESTS',
    '100',
    wholeNumber(1, 100_000),
    'most undecided requests of one app for one user; more are refused with 409',
  ),
  withdrawals: setting(
    'WITHDRAWALS',
    'off',
    oneOf('off', 'on'),
    'whether full users with a passkey may send quarters to addresses of their own outside',
  ),
  withdrawalUserDayLimit: setting(
    'WITHDRAWAL_USER_DAY_LIMIT',
    '1000',
    amount,
    'most quarters that one user may withdraw within 24 hours',
  ),
  withdrawalDayLimit: setting(
    'WITHDRAWAL_DAY_LIMIT',
    '10000',
    amount,
    'most quarters that all users together may withdraw within 24 hours',
  ),
} as const;
