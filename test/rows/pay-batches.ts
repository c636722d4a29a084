import { changing } from './statements.ts';

type BatchColumns = { readonly name: string; readonly byLine: boolean; readonly fileHash: Uint8Array };

export const changeBatches = changing<BatchColumns>('pay_batches');
