import { changing } from './statements.ts';

type LeafColumns = { readonly root: Uint8Array; readonly leaves: Uint8Array };

export const changeLiabilityLeaves = changing<LeafColumns>('liability_leaves');
