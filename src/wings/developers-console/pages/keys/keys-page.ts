import type { FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { invalidInput, type Problem } from '../../../../base/problems.ts';
import { basesOf } from '../../../../config/bases.ts';
import { issueKey, revokeKey, rotateKey } from '../../../../features/keys/keys.ts';
import { appConsolePage, appIdOf, appPath } from '../../../../pages/consoles/app-frame.ts';
import { sendConsolePage } from '../../../../pages/consoles/console.ts';
import type { House } from '../../../../service/house.ts';
import { asDeveloper } from '../../../../service/managers.ts';
import type { Service } from '../../../../service/service.ts';
import { type ShownApp, showApp } from '../../../../views/apps/show-app.ts';
import type { Page } from '../../../../web/layout.ts';
import { parameter } from '../../../../web/request-parameters.ts';
import type { SignedInRoutes, Visitor } from '../../../../web/visitor.ts';
import { addFormPage, type FormOutcome, type SentForm } from '../page-forms.ts';
import { clientSecretsSection, type RefusedKey, readNewKey, serverKeysSection } from './keys-section.ts';
import { appIdentity, type NewSecret, secretsPage } from './secrets-page.ts';

/**
 * GET /developer/apps/{id}/keys shows an app's keys, POST creates one, …/rotate creates a second one like the given one, …/revoke ends
 * one. All need a fresh sign-in, as a key moves quarters.
 */
export function keyRoutes(visitors: SignedInRoutes, service: Service): void {
  const keyIn = (body: unknown) => parameter(body, 'key') ?? '';
  addFormPage<RefusedKey>(visitors, service, {
    path: '/developer/apps/:id/keys',
    at: (request) => `${appPath(request)}/keys`,
    show: sendKeys,
    refusal: refusalOf,
    forms: {
      '': {
        action: 'create a key',
        async act(form) {
          const wanted = readNewKey(form.body);
          if ('refused' in wanted) throw invalidInput('', 'has a fault');
          const secret = await issueKey(service, form.by, form.appId, wanted);
          return newKeyPage(form, { kind: wanted.kind, scopes: wanted.kind === 'server' ? wanted.scopes : [], secret });
        },
      },
      rotate: {
        action: 'replace a key',
        async act(form) {
          return newKeyPage(form, await rotateKey(service, form.by, form.appId, keyIn(form.body)));
        },
      },
      revoke: {
        action: 'revoke a key',
        act: ({ by, appId, body }) => revokeKey(service, by, appId, keyIn(body)),
      },
    },
  });
}

async function sendKeys(
  service: Service,
  reply: FastifyReply,
  { session, csrf }: Visitor,
  outcome: FormOutcome<RefusedKey>,
) {
  const own = await showApp(service, asDeveloper(session), appIdOf(reply.request));
  return sendConsolePage(reply, keysPage({ ...own, csrf, house: service.house, ...outcome }));
}

/** If there are already two keys, the page says so. */
function refusalOf({ code, message }: Problem, body: unknown): FormOutcome<RefusedKey> | null {
  if (code === 'limit-reached') return { notice: message };
  const given = code === 'invalid-input' && readNewKey(body);
  return given && 'refused' in given ? { refused: given.refused } : null;
}

async function newKeyPage({ service, by, appId }: SentForm, secret: NewSecret): Promise<Page> {
  const { app, address } = await showApp(service, by, appId);
  const title = secret.kind === 'server' ? 'Your new server API key' : 'Your new client secret';
  return secretsPage({ title, app, address, secrets: [secret], bases: basesOf(service.settings, service.publicUrl) });
}

type View = ShownApp & { readonly csrf: string; readonly house: House } & FormOutcome<RefusedKey>;

/** What identifies an app, and the keys it uses. */
function keysPage({ app, address, keys, csrf, house, notice, refused }: View): Page {
  const content = html`${notice && html`<p class="notice bad" role="alert">${notice}</p>`}
${appIdentity(app, address)}
${serverKeysSection({ app, keys, csrf, house }, refused)}
${clientSecretsSection({ app, keys, csrf, house }, refused)}`;
  return appConsolePage(app, 'keys', { title: 'Keys', content });
}
