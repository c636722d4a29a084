using System;
using System.Threading.Tasks;

namespace Quarters.Testing
{
    /// <summary>One clock for tokens, expiries, limits, retries and blocks. It goes forward only, and what falls due on the way happens, in order.</summary>
    public sealed class EmulatorTime
    {
        private readonly ControlCalls calls;

        internal EmulatorTime(ControlCalls calls)
        {
            this.calls = calls;
        }

        /// <summary>What the service takes for now.</summary>
        public async Task<DateTimeOffset> NowAsync()
        {
            return new ReadStateResult(await calls.CallAsync(Operations.ReadState).ConfigureAwait(false)).Now;
        }

        /// <summary>Moves the clock to a moment.</summary>
        public Task SetAsync(DateTimeOffset to)
        {
            return calls.CallAsync(Operations.SetTime, new SetTimeInput { To = to.UtcDateTime.ToString("o") }.ToJson());
        }

        /// <summary>Moves the clock on.</summary>
        public Task AdvanceAsync(TimeSpan by)
        {
            return calls.CallAsync(Operations.AdvanceTime, new AdvanceTimeInput { By = (long)by.TotalMilliseconds }.ToJson());
        }

        /// <summary>Stops the clock where it is.</summary>
        public Task FreezeAsync()
        {
            return calls.CallAsync(Operations.FreezeTime);
        }

        /// <summary>Lets a frozen clock go on.</summary>
        public Task GoOnAsync()
        {
            return calls.CallAsync(Operations.LetTimeGoOn);
        }
    }
}
