// Another player takes over while something of the first one is under way.
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;
using Quarters;

internal static class TakingOver
{
    private static readonly PlayerTokens Other = PlayerTokens.OfGuest("other", "page");

    /// <summary>Another player takes over, and calls, while a call of the first one is under way.</summary>
    internal static async Task<JToken> DuringCallAsync(QuartersPlayer player)
    {
        var me = player.MeAsync();
        await player.UseAsync(Other);
        await player.MeAsync();
        return (await me).Id;
    }

    /// <summary>Another player takes over while the tokens that were kept are still being read.</summary>
    internal static async Task<JToken> DuringReadAsync(string url)
    {
        var store = new SlowTokenStore();
        var player = PlayerWith(store, url);
        var me = player.MeAsync();
        await player.UseAsync(Other);
        store.Kept.SetResult(PlayerTokens.OfGuest("old", "page").ToText());
        await me;
        return (await player.TokensAsync()).AccessToken;
    }

    /// <summary>Another player takes over while renewed tokens of the first one are being kept.</summary>
    internal static async Task<JToken> DuringRenewalAsync(string url)
    {
        var store = new SlowTokenStore();
        store.Kept.SetResult(new JObject { ["access"] = "old", ["refresh"] = "refresh" }.ToString());
        var player = PlayerWith(store, url);
        var me = player.MeAsync();
        await store.Writing.Task;
        var other = player.UseAsync(Other);
        store.Written.SetResult(0);
        await other;
        await me;
        return (await player.TokensAsync()).AccessToken + " " + PlayerTokens.Parse(store.Last).AccessToken;
    }

    private static QuartersPlayer PlayerWith(ITokenStore store, string url)
    {
        return new QuartersPlayer(new PlayerOptions { Url = url, AppId = "app", Retries = 1, TokenStore = store });
    }

    /// <summary>Its tokens are read when the test says so, and the first ones that are renewed are written then.</summary>
    private sealed class SlowTokenStore : ITokenStore
    {
        internal readonly TaskCompletionSource<string> Kept = new TaskCompletionSource<string>();
        internal readonly TaskCompletionSource<int> Writing = new TaskCompletionSource<int>();
        internal readonly TaskCompletionSource<int> Written = new TaskCompletionSource<int>();
        internal string Last;

        public Task<string> ReadAsync()
        {
            return Kept.Task;
        }

        public async Task WriteAsync(string tokens)
        {
            if (PlayerTokens.Parse(tokens).AccessToken == "new")
            {
                Writing.TrySetResult(0);
                await Written.Task;
            }
            Last = tokens;
        }
    }
}
