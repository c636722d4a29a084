import type { EndpointId } from '../../base/ids.ts';
import { extensionPoint } from '../../service/house.ts';
import type { DueDelivery } from '../../webhooks/deliveries.ts';
import type { Sent } from '../../webhooks/send.ts';

/** Null: it was not sent, and is sent later. */
export type SendDelivery = (delivery: DueDelivery) => Promise<Sent | null>;

/** Stands between a delivery that is due and its sending. */
export type DeliveryGate = {
  /** Endpoints for which nothing is taken now. What is due for them stays due. */
  closedFor(): Promise<readonly EndpointId[]>;
  readonly around: (send: SendDelivery) => SendDelivery;
};

export const DELIVERY_GATES = extensionPoint<DeliveryGate>('stands between a delivery that is due and its sending');

/** Both in milliseconds. */
export type DeliveryPace = { readonly looksApartMs: number; readonly recordedTogetherMs: number };

export const DELIVERY_PACE = extensionPoint<DeliveryPace>(
  'how long webhooks wait for others, which saves statements where there are many',
);

/** Who receives a webhook compares the time of its signature with a clock of their own. */
export const RECEIVERS_TIME = extensionPoint<() => Date>(
  'the time by which webhooks are signed, if it is not that of this process',
);
