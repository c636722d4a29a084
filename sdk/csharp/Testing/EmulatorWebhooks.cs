using System;
using System.Threading.Tasks;

namespace Quarters.Testing
{
    /// <summary>What becomes of events on their way to the game's server.</summary>
    public sealed class EmulatorWebhooks
    {
        private readonly ControlCalls calls;

        internal EmulatorWebhooks(ControlCalls calls)
        {
            this.calls = calls;
        }

        /// <summary>Keeps events back until <see cref="ReleaseAsync"/>: of one app, or of all.</summary>
        public Task HoldAsync(string appId = null)
        {
            return calls.CallAsync(Operations.HoldWebhooks, new HoldWebhooksInput { App = appId }.ToJson());
        }

        /// <summary>Sends what was held, one after the other.</summary>
        public async Task<ReleaseWebhooksResult> ReleaseAsync(ReleaseWebhooksInput how = null)
        {
            var input = (how ?? new ReleaseWebhooksInput()).ToJson();
            return new ReleaseWebhooksResult(await calls.CallAsync(Operations.ReleaseWebhooks, input).ConfigureAwait(false));
        }

        /// <summary>The next deliveries arrive twice.</summary>
        public Task DuplicateAsync(int times = 1, string appId = null)
        {
            return calls.CallAsync(Operations.DuplicateWebhooks, new DuplicateWebhooksInput { Times = times, App = appId }.ToJson());
        }

        /// <summary>The next deliveries are sent later, by the emulator's clock.</summary>
        public Task DelayAsync(TimeSpan by, int times = 1, string appId = null)
        {
            var input = new DelayWebhooksInput { By = (long)by.TotalMilliseconds, Times = times, App = appId };
            return calls.CallAsync(Operations.DelayWebhooks, input.ToJson());
        }

        /// <summary>The next deliveries are lost on their way.</summary>
        public Task DropAsync(int times = 1, string appId = null)
        {
            return calls.CallAsync(Operations.DropWebhooks, new DropWebhooksInput { Times = times, App = appId }.ToJson());
        }

        /// <summary>Ends when no event is due or under way, but for those that are held.</summary>
        public Task DeliveredAsync()
        {
            return calls.CallAsync(Operations.DeliverWebhooks);
        }

        /// <summary>What is held, and what the next deliveries come to.</summary>
        public async Task<ReadWebhooksResult> StateAsync()
        {
            return new ReadWebhooksResult(await calls.CallAsync(Operations.ReadWebhooks).ConfigureAwait(false));
        }

        /// <summary>All events are delivered as in life. Those that were held are sent.</summary>
        public Task ForgetAsync()
        {
            return calls.CallAsync(Operations.ForgetWebhooks);
        }
    }
}
