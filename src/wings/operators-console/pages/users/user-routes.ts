import { PLAYER_PANELS } from '../../../../pages/additions.ts';
import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import type { OperatorRoutes } from '../../../../pages/consoles/operator-frame.ts';
import { loadAll } from '../../../../service/house.ts';
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
    const adding = await loadAll(service.house, PLAYER_PANELS);
    const panels = await Promise.all(adding.map((add) => add(service, inspected.user.id)));
    return sendConsolePage(
      reply,
      userPage(service.house, visitor, inspected, panels, {
        isFirst: before === undefined,
        wasRestored: service.readiness.recovered !== null,
      }),
    );
  });
}
