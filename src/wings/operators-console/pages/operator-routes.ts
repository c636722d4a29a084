import type { OperatorRoutes } from '../../../pages/consoles/operator-frame.ts';
import type { Service } from '../../../service/service.ts';
import { actionRoutes } from './actions/action-routes.ts';
import { performRoutes } from './actions/perform-routes.ts';
import { playerReportsRoute } from './actions/reports-page.ts';
import { operatorAppRoutes } from './apps/app-routes.ts';
import { chainRoutes } from './chain/chain-routes.ts';
import { healthRoute } from './health-page.ts';
import { operatorsRoute } from './operators-page.ts';
import { operatorPaymentRoute } from './payment-page.ts';
import { anyPaymentsRoute } from './payments-page.ts';
import { searchRoutes } from './search-page.ts';
import { playersRoute } from './users/players-page.ts';
import { userRoutes } from './users/user-page.ts';

/** The operators' console: a file of routes for each section. */
export function operatorRoutes(operators: OperatorRoutes, service: Service): void {
  healthRoute(operators, service);
  searchRoutes(operators, service);
  playersRoute(operators, service);
  userRoutes(operators, service);
  operatorAppRoutes(operators, service);
  anyPaymentsRoute(operators, service);
  operatorPaymentRoute(operators, service);
  chainRoutes(operators, service);
  performRoutes(operators, service);
  actionRoutes(operators, service);
  playerReportsRoute(operators, service);
  operatorsRoute(operators, service);
}
