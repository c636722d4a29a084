using System;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

namespace Quarters.Testing
{
    /// <summary>Blocks, fees and the node.</summary>
    public sealed class EmulatorChain
    {
        private readonly ControlCalls calls;

        internal EmulatorChain(ControlCalls calls)
        {
            this.calls = calls;
        }

        /// <summary>Makes a block at once for each transaction.</summary>
        public Task InstantBlocksAsync()
        {
            return calls.CallAsync(Operations.SetBlocks, new SetBlocksInput { Mode = "instant" }.ToJson());
        }

        /// <summary>Makes blocks by <see cref="MineAsync"/> alone.</summary>
        public Task ManualBlocksAsync()
        {
            return calls.CallAsync(Operations.SetBlocks, new SetBlocksInput { Mode = "manual" }.ToJson());
        }

        /// <summary>Makes a block every so often.</summary>
        public Task BlocksEveryAsync(TimeSpan interval)
        {
            return calls.CallAsync(Operations.SetBlocks, new SetBlocksInput { Mode = (long)interval.TotalMilliseconds }.ToJson());
        }

        /// <summary>Makes blocks now.</summary>
        public Task MineAsync(int blocks = 1)
        {
            return calls.CallAsync(Operations.Mine, new MineInput { Blocks = blocks }.ToJson());
        }

        /// <summary>Replaces the newest blocks by others, which lack these transactions.</summary>
        public Task ReorganizeAsync(int depth, params string[] without)
        {
            return calls.CallAsync(Operations.Reorganize, new ReorganizeInput { Depth = depth, Without = without }.ToJson());
        }

        /// <summary>Sets what a unit of gas costs from now on, in gwei.</summary>
        public Task FeesAsync(double gwei)
        {
            return calls.CallAsync(Operations.SetFees, new SetFeesInput { Gwei = gwei }.ToJson());
        }

        /// <summary>Gas costs what the chain says.</summary>
        public Task UsualFeesAsync()
        {
            return calls.CallAsync(Operations.SetFees, new JObject { ["gwei"] = null });
        }

        /// <summary>The service cannot reach its node from now on.</summary>
        public Task DownAsync()
        {
            return calls.CallAsync(Operations.ChainDown);
        }

        /// <summary>The service can reach its node again.</summary>
        public Task UpAsync()
        {
            return calls.CallAsync(Operations.ChainUp);
        }
    }
}
