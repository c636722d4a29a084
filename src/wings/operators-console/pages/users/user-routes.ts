import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import type { OperatorRoutes } from '../../../../pages/consoles/operator-frame.ts';
import type { Service } from '../../../../service/service.ts';
import { inspectUser } from '../../../../views/inspection/inspect-user.ts';
import { activityCursor } from '../../../../web/activity-cursor.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import { userPage } from './user-page.ts';

/** GET /operator/users/{id}: a player's whole life. It opens somebody's data, so it asks who the operator is, and is recorded. */
export function userRoutes(operators: OperatorRoutes, service: Service): void {
  operators.get('/operator/users/:id', { fresh: true }, async (request, reply, visitor) => {
    const { id } = request.params as { id: string };
    const before = parameter(request.query, 'before');
    const inspected = await inspectUser(service, id, before === undefined ? undefined : activityCursor(before));
    return sendConsolePage(
      reply,
      userPage(service.house, visitor, inspected, {
        isFirst: before === undefined,
        wasRestored: service.readiness.recovered !== null,
      }),
    );
  });
}
