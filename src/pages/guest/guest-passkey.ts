import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../base/problems.ts';
import { offerFirstPasskey } from '../../features/credentials/passkeys.ts';
import { findConversion } from '../../features/guests/convert-guest.ts';
import { clientAddress } from '../../http/rate-limits.ts';
import { displayNameFrom } from '../../identity/users.ts';
import type { Service } from '../../service/service.ts';
import { parameter } from '../../web/request-parameters.ts';
import { openField } from '../../web/wizard.ts';
import { PROVED, type ProvedFlow, tokenHashOf } from './guest-context.ts';

/** What the browser made. Null: a password was sent. */
export function madePasskey(form: unknown): object | null {
  const sent = parameter(form, 'passkey');
  if (sent === undefined) return null;
  try {
    const answer: unknown = JSON.parse(sent);
    return typeof answer === 'object' && answer !== null ? answer : {};
  } catch {
    return {};
  }
}

/** POST {signup_url}/guest/passkey gives the script of the last step the options for a new passkey. JSON in, JSON out. */
export function guestPasskeyRoute(server: FastifyInstance, service: Service, path: string): void {
  server.post(`${path}/passkey`, async (request: FastifyRequest) => {
    const flow = openField<ProvedFlow>(service.vault, PROVED, parameter(request.body, 'flow'));
    const conversion = flow && (await findConversion(service, flow.appId, tokenHashOf(flow)));
    if (conversion?.kind !== 'open') throw new Problem('token-expired', 'This page has expired.');
    const displayName = displayNameFrom(parameter(request.body, 'display_name') ?? '') ?? '';
    const owner = { id: conversion.guest.id, email: flow!.email, displayName };
    return offerFirstPasskey(service, owner, clientAddress(request));
  });
}
