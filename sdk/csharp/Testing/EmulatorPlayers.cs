using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

namespace Quarters.Testing
{
    /// <summary>Makes players.</summary>
    public sealed class EmulatorPlayers
    {
        private readonly ControlCalls calls;
        private readonly string appId;

        internal EmulatorPlayers(ControlCalls calls, string appId)
        {
            this.calls = calls;
            this.appId = appId;
        }

        /// <summary>Makes a player, whose quarters can be spent when this ends. Without an app it is a player of the one that <c>quarters test</c> has made.</summary>
        public async Task<Player> CreateAsync(CreatePlayerInput player = null)
        {
            var input = (player ?? new CreatePlayerInput()).ToJson();
            if (input["app"] == null) Json.Add(input, "app", appId);
            return new Player(calls, await calls.CallAsync(Operations.CreatePlayer, input).ConfigureAwait(false));
        }

        /// <summary>A player whom the game has created. Only the id of it is known here.</summary>
        public Player Of(string id)
        {
            return new Player(calls, new JObject { ["id"] = id });
        }
    }
}
