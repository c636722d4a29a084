import type { FastifyRequest } from 'fastify';
import { Problem } from '../../../../base/problems.ts';
import type { PostingPosition } from '../../../../ledger/postings.ts';
import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import type { OperatorRoutes } from '../../../../pages/consoles/operator-frame.ts';
import type { Service } from '../../../../service/service.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import { inspectAddress } from '../../views/inspect-address.ts';
import { inspectTransaction } from '../../views/inspect-transaction.ts';
import { inspectTransfer } from '../../views/inspect-transfer.ts';
import { addressPage } from './address-page.ts';
import { transactionPage } from './transaction-page.ts';
import { transferPage } from './transfer-page.ts';

/** GET /operator/transfers/{id}, …/transactions/{hash} and …/addresses/{address}. */
export function chainRoutes(operators: OperatorRoutes, service: Service): void {
  const { explorerUrl } = service.settings;
  operators.get('/operator/transfers/:id', async (request, reply, visitor) => {
    return sendConsolePage(reply, transferPage(service, visitor, await inspectTransfer(service, idOf(request))));
  });

  operators.get('/operator/transactions/:id', async (request, reply, visitor) => {
    const inspected = await inspectTransaction(service, idOf(request));
    return sendConsolePage(reply, transactionPage(visitor, inspected, explorerUrl));
  });

  operators.get('/operator/addresses/:id', async (request, reply, visitor) => {
    const before = parameter(request.query, 'before');
    const inspected = await inspectAddress(service, idOf(request), before === undefined ? null : positionIn(before));
    return sendConsolePage(reply, addressPage(visitor, inspected, before === undefined));
  });
}

/** The unchecked id in the path. */
function idOf({ params }: FastifyRequest): string {
  return (params as { id: string }).id;
}

function positionIn(text: string): PostingPosition {
  const parts = /^(\d{1,18})\.(\d{1,9})$/.exec(text);
  if (!parts) throw new Problem('invalid-input', 'The cursor is not valid.');
  return { block: BigInt(parts[1]!), logIndex: Number(parts[2]) };
}
