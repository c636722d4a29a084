/** The states of a transfer, in the order in which it passes them; it ends as one of the last two. */
export const TRANSFER_STATUSES = ['approved', 'submitted', 'completed', 'failed'] as const;

export type TransferStatus = (typeof TRANSFER_STATUSES)[number];
