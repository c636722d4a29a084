import type { ServiceProcess } from '../kit/service/crash-service.ts';
import type { Stage } from '../kit/service/crash-stage.ts';

/** Makes `count` payments at once. */
export async function payments(stage: Stage, service: ServiceProcess, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => stage.client.one(service.origin, 'pay')));
}

/** Resolves as soon as the service is dead. */
export async function untilDead(service: ServiceProcess): Promise<void> {
  await service.exited;
}
