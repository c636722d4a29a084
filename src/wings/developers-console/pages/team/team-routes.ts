import type { FastifyReply, FastifyRequest } from 'fastify';
import { en } from '../../../../../words/en.ts';
import { type UserId, userIdFrom } from '../../../../base/ids.ts';
import { type InputFault, invalidInput, Problem } from '../../../../base/problems.ts';
import { type MemberRole, memberRoleOf } from '../../../../identity/app-roles.ts';
import { appIdOf, appPath } from '../../../../pages/consoles/app-frame.ts';
import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import { asDeveloper, type Developer } from '../../../../service/managers.ts';
import type { Service } from '../../../../service/service.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import type { SignedInRoutes, Visitor } from '../../../../web/visitor.ts';
import { reasonText } from '../../../../words/words.ts';
import { answerInvitation, inviteMember, withdrawInvitation } from '../../features/invitations.ts';
import { changeRole, handOver, leaveTeam, removeMember, showTeam } from '../../features/members.ts';
import { type RefusedInvitation, teamPage } from './team-page.ts';

const PATH = '/developer/apps/:id/team';

/** A form of the page. */
type TeamForm = {
  readonly act: (service: Service, developer: Developer, appId: string, body: unknown) => Promise<void>;
  /** What the page says afterwards. */
  readonly notice: string;
  /** Completes the sentence "You were about to …". */
  readonly action: string;
  /** Giving rights needs a recent sign-in; giving them up does not. */
  readonly fresh: boolean;
};

/** By the end of their path. */
const FORMS: Readonly<Record<string, TeamForm>> = {
  invite: {
    act: (service, developer, appId, body) =>
      inviteMember(service, developer, appId, { email: parameter(body, 'email') ?? '', role: roleOf(body) }),
    notice: 'Invitation sent.',
    action: 'invite somebody to your team',
    fresh: true,
  },
  withdraw: {
    act: (service, developer, appId, body) =>
      withdrawInvitation(service, developer, appId, parameter(body, 'email') ?? ''),
    notice: 'Invitation withdrawn.',
    action: 'withdraw an invitation',
    fresh: false,
  },
  role: {
    act: (service, developer, appId, body) => changeRole(service, developer, appId, memberOf(body), roleOf(body)),
    notice: 'Role changed.',
    action: 'change the role of a member',
    fresh: true,
  },
  remove: {
    act: (service, developer, appId, body) => removeMember(service, developer, appId, memberOf(body)),
    notice: 'Member removed.',
    action: 'remove a member of your team',
    fresh: true,
  },
  'hand-over': {
    act: (service, developer, appId, body) => handOver(service, developer, appId, memberOf(body)),
    notice: 'The app has a new owner. You are an admin now.',
    action: 'hand the app over',
    fresh: true,
  },
};

/** GET /developer/apps/{id}/team shows who manages an app; …/invite, …/role and so on do what they say, and …/leave ends one's own part. */
export function teamRoutes(visitors: SignedInRoutes, service: Service): void {
  visitors.get(PATH, async (request, reply, visitor) => {
    const done = parameter(request.query, 'done') ?? '';
    const notice = Object.hasOwn(FORMS, done) ? FORMS[done]?.notice : undefined;
    return sendTeam(service, reply, visitor, { notice });
  });
  for (const [verb, { act, action, fresh }] of Object.entries(FORMS)) {
    const handler = async (request: FastifyRequest, reply: FastifyReply, visitor: Visitor) => {
      try {
        await act(service, asDeveloper(visitor.session), appIdOf(request), request.body);
      } catch (error) {
        return sendTeam(service, reply, visitor, refusalOf(error, request.body, reply));
      }
      return reply.redirect(`${teamOf(request)}?done=${verb}`, 303);
    };
    visitors.post(`${PATH}/${verb}`, { fresh, action, back: teamOf }, handler);
  }
  visitors.post(`${PATH}/leave`, { action: 'leave a team', back: teamOf }, async (request, reply, { session }) => {
    await leaveTeam(service, asDeveloper(session), appIdOf(request));
    return reply.redirect('/developer', 303);
  });
}

const teamOf = (request: FastifyRequest) => `${appPath(request)}/team`;

/** POST /developer/invitations/join and …/decline answer an invitation to a team. */
export function invitationRoutes(visitors: SignedInRoutes, service: Service): void {
  for (const answer of ['join', 'decline'] as const) {
    visitors.post(
      `/developer/invitations/${answer}`,
      { action: `${answer === 'join' ? 'join' : 'decline an invitation to'} a team` },
      async (request, reply, { session }) => {
        const appId = parameter(request.body, 'app') ?? '';
        await answerInvitation(service, session, appId, answer);
        return reply.redirect(answer === 'join' ? `/developer/apps/${encodeURIComponent(appId)}` : '/developer', 303);
      },
    );
  }
}

type Shown = {
  readonly notice?: string | undefined;
  readonly refusal?: string | undefined;
  readonly invitation?: RefusedInvitation | undefined;
};

async function sendTeam(service: Service, reply: FastifyReply, visitor: Visitor, shown: Shown): Promise<FastifyReply> {
  const team = await showTeam(service, asDeveloper(visitor.session), appIdOf(reply.request));
  return sendConsolePage(reply, teamPage({ ...team, visitor, ...shown }));
}

/** What the page says about a refusal. Other errors are thrown. */
function refusalOf(error: unknown, body: unknown, reply: FastifyReply): Shown {
  if (!(error instanceof Problem)) throw error;
  const fault = error.faults.find(({ pointer }) => pointer === '/email');
  if (!fault && error.code !== 'limit-reached' && error.code !== 'too-many-tries') throw error;
  reply.code(error.status);
  if (!fault) return { refusal: error.message };
  return { invitation: { email: parameter(body, 'email') ?? '', role: roleOf(body), error: sentence(fault) } };
}

/** The detail of a fault without a reason completes "This address …". */
function sentence({ reason, detail }: InputFault): string {
  return reason ? reasonText(en, reason) : `This address ${detail}.`;
}

/** Text that cannot be an id names nobody. */
function memberOf(body: unknown): UserId {
  return userIdFrom(parameter(body, 'member') ?? '') ?? ('' as UserId);
}

function roleOf(body: unknown): MemberRole {
  const role = memberRoleOf(parameter(body, 'role'));
  if (!role) throw invalidInput('/role', 'must be admin, developer or viewer');
  return role;
}
