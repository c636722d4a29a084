import type { Service } from './service.ts';

/** Returns a function that opens something at its first call for a service, and keeps it for as long as the service. */
export function oncePerService<T>(open: (service: Service) => T): (service: Service) => T {
  const opened = new WeakMap<Service, T>();
  return (service) => opened.getOrInsertComputed(service, open);
}
