import { type AppOrId, idOf } from './apps.ts';
import type { Call } from './calls.ts';
import type { Inputs, ReadWebhooksResult, ReleaseWebhooksResult } from './controls.generated.ts';
import type { Duration } from './time.ts';

/** Only events of this app. */
type OfApp = { readonly app?: AppOrId | undefined };

const ofApp = ({ app }: OfApp) => (app === undefined ? {} : { app: idOf(app) });

/** What becomes of events on their way to the game's server. */
export function webhooksOf(call: Call) {
  return {
    /** Keeps events back until `release`. */
    hold: (which: OfApp = {}): Promise<void> => call('holdWebhooks', ofApp(which)),
    /** Sends what was held, one after the other. */
    release: ({ app, ...order }: Omit<Inputs['releaseWebhooks'], 'app'> & OfApp = {}): Promise<ReleaseWebhooksResult> =>
      call('releaseWebhooks', { ...order, ...ofApp({ app }) }),
    /** The next deliveries arrive twice. */
    duplicate: (times = 1, which: OfApp = {}): Promise<void> => call('duplicateWebhooks', { times, ...ofApp(which) }),
    /** The next deliveries are sent later, by the emulator's clock. */
    delay: (by: Duration, { times = 1, ...which }: OfApp & { readonly times?: number } = {}): Promise<void> =>
      call('delayWebhooks', { by, times, ...ofApp(which) }),
    /** The next deliveries are lost on their way. */
    drop: (times = 1, which: OfApp = {}): Promise<void> => call('dropWebhooks', { times, ...ofApp(which) }),
    /** Resolves when no event is due or under way, but for those that are held. */
    delivered: (): Promise<void> => call('deliverWebhooks', {}),
    /** What is held, and what the next deliveries come to. */
    state: (): Promise<ReadWebhooksResult> => call('readWebhooks', {}),
    /** All events are delivered as in life. Those that were held are sent. */
    forget: (): Promise<void> => call('forgetWebhooks', {}),
  };
}
