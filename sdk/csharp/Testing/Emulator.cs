using System;
using System.Threading.Tasks;

namespace Quarters.Testing
{
    /// <summary>
    /// What a game's tests do to an emulator: the service as a throwaway. Operations run one after the other, and each ends when the game can
    /// see what it did.
    /// </summary>
    public sealed class Emulator : IDisposable
    {
        private readonly ControlCalls calls;
        private EmulatorProcess process;

        private Emulator(ControlCalls calls, string url, EmulatorProcess process, string appId)
        {
            this.calls = calls;
            this.process = process;
            Url = url;
            Time = new EmulatorTime(calls);
            Chain = new EmulatorChain(calls);
            Apps = new EmulatorApps(calls);
            Players = new EmulatorPlayers(calls, appId);
            Webhooks = new EmulatorWebhooks(calls);
        }

        /// <summary>The origin of the service, which the game calls.</summary>
        public string Url { get; }

        /// <summary>The clock of the service, its database and its blocks.</summary>
        public EmulatorTime Time { get; }

        /// <summary>Blocks, fees and the node.</summary>
        public EmulatorChain Chain { get; }

        /// <summary>Makes apps.</summary>
        public EmulatorApps Apps { get; }

        /// <summary>Makes players.</summary>
        public EmulatorPlayers Players { get; }

        /// <summary>What becomes of events on their way to the game's server.</summary>
        public EmulatorWebhooks Webhooks { get; }

        /// <summary>Starts an emulator. It ends by <see cref="Dispose"/>, and with this process at the latest.</summary>
        public static async Task<Emulator> StartAsync(StartOptions options = null)
        {
            var process = await EmulatorProcess.StartAsync(options ?? new StartOptions()).ConfigureAwait(false);
            var line = process.StartLine;
            var calls = new ControlCalls((string)line["control"], (string)line["token"]);
            return new Emulator(calls, (string)line["url"], process, null);
        }

        /// <summary>
        /// Connects to an emulator that somebody else has started, and ends: the one that <c>quarters test</c> names in the environment, or by
        /// <c>control</c> and <c>token</c> of its start line.
        /// </summary>
        public static async Task<Emulator> ConnectAsync(string url = null, string token = null)
        {
            url = url ?? Environment.GetEnvironmentVariable("QUARTERS_EMULATOR_URL");
            token = token ?? Environment.GetEnvironmentVariable("QUARTERS_EMULATOR_TOKEN");
            if (string.IsNullOrEmpty(url) || string.IsNullOrEmpty(token))
                throw new EmulatorException("No emulator is named: give its address and token, or run the tests by quarters test -- <command>.");
            var calls = new ControlCalls(url, token);
            var state = new ReadStateResult(await calls.CallAsync(Operations.ReadState).ConfigureAwait(false));
            return new Emulator(calls, state.Url, null, Environment.GetEnvironmentVariable("QUARTERS_APP_ID"));
        }

        /// <summary>Goes back to the state after the start, or to a snapshot. Calls under way have a second to end; new ones wait.</summary>
        public Task ResetAsync(string snapshot = null)
        {
            return calls.CallAsync(Operations.Reset, new ResetInput { To = snapshot }.ToJson());
        }

        /// <summary>Keeps the state under a name, once every payment is settled.</summary>
        public Task SnapshotAsync(string name)
        {
            return calls.CallAsync(Operations.TakeSnapshot, new TakeSnapshotInput { Name = name }.ToJson());
        }

        /// <summary>The clock, the chain and the snapshots.</summary>
        public async Task<ReadStateResult> StateAsync()
        {
            return new ReadStateResult(await calls.CallAsync(Operations.ReadState).ConfigureAwait(false));
        }

        /// <summary>The newest calls, requests, events and blocks.</summary>
        public async Task<ReadHappenedResult> HappenedAsync()
        {
            return new ReadHappenedResult(await calls.CallAsync(Operations.ReadHappened).ConfigureAwait(false));
        }

        /// <summary>Ends when no payment is on its way and the ledger has the newest block.</summary>
        public Task SettledAsync()
        {
            return calls.CallAsync(Operations.Settle);
        }

        /// <summary>Decides what the next calls of an operation of the API come to: <c>Next("transfer").FailsAsync("insufficient-quarters")</c>.</summary>
        public NextCalls Next(string operation = "any")
        {
            return new NextCalls(calls, new ArmOutcomeInput { Operation = operation });
        }

        /// <summary>What <see cref="Next"/> has decided, and no call has got yet.</summary>
        public async Task<ListOutcomesResult> OutcomesAsync()
        {
            return new ListOutcomesResult(await calls.CallAsync(Operations.ListOutcomes).ConfigureAwait(false));
        }

        /// <summary>All calls come to what they would in life.</summary>
        public Task ForgetOutcomesAsync()
        {
            return calls.CallAsync(Operations.ForgetOutcomes);
        }

        /// <summary>Ends an emulator that <see cref="StartAsync"/> has started, and returns when it has ended.</summary>
        public void Dispose()
        {
            if (process != null) process.Stop();
            process = null;
        }
    }
}
