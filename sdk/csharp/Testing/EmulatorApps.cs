using System.Threading.Tasks;

namespace Quarters.Testing
{
    /// <summary>Makes apps.</summary>
    public sealed class EmulatorApps
    {
        private readonly ControlCalls calls;

        internal EmulatorApps(ControlCalls calls)
        {
            this.calls = calls;
        }

        /// <summary>Makes an app. Its quarters can be spent when this ends.</summary>
        public async Task<CreateAppResult> CreateAsync(CreateAppInput app = null)
        {
            var input = (app ?? new CreateAppInput()).ToJson();
            return new CreateAppResult(await calls.CallAsync(Operations.CreateApp, input).ConfigureAwait(false));
        }
    }
}
