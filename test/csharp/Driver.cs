// Does one thing with the library for each line of standard input, a JSON object, and prints what came of it as JSON with the same id.
// Lines are handled at once. The tests beside it play the service.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;
using Quarters;
using Quarters.Server;

public static class Driver
{
    public static void Main()
    {
        string line;
        while ((line = Console.ReadLine()) != null) AnswerAsync(JObject.Parse(line));
    }

    private static async void AnswerAsync(JObject told)
    {
        var answer = new JObject { ["id"] = told["id"] };
        try
        {
            answer["result"] = await DoAsync(told);
        }
        catch (Exception error)
        {
            answer["error"] = ErrorOf(error);
        }
        lock (Console.Out) Console.WriteLine(answer.ToString(Formatting.None));
    }

    private static JToken ErrorOf(Exception error)
    {
        var json = new JObject { ["name"] = error.GetType().Name, ["message"] = error.Message };
        var problem = error as ProblemException;
        if (problem != null) json["code"] = problem.Code;
        if (problem != null) json["status"] = problem.Status;
        var quarters = error as QuartersException;
        if (quarters != null && quarters.RetryAfter != null) json["retryAfter"] = quarters.RetryAfter.Value.TotalSeconds;
        var unknown = error as OutcomeUnknownException;
        if (unknown != null) json["key"] = unknown.IdempotencyKey;
        var cause = error.InnerException as ProblemException;
        if (cause != null) json["cause"] = cause.Code;
        return json;
    }

    private static async Task<JToken> DoAsync(JObject told)
    {
        switch ((string)told["do"])
        {
            case "pay":
                var paid = await ServerOf(told).PayAsync(new NewTransfer { User = (string)told["user"] ?? "u", Amount = 5 }, (string)told["key"]);
                return paid.RequestId + " " + paid.TxId;
            case "read":
                return (await ServerOf(told).RequestAsync((string)told["request"] ?? "r")).Status;
            case "guest":
                return (await ServerOf(told).CreateGuestAsync()).UserId;
            case "redeem":
                return (await ServerOf(told).RedeemAsync("c")).AccessToken;
            case "list":
                return await ListAsync(ServerOf(told));
            case "transport":
                return await SendAsync(told);
            case "keep":
                await new FilePendingStore((string)told["folder"]).SaveAsync(PendingDeed.Parse((string)told["deed"]));
                return "kept";
            case "resume":
                return await ResumeAsync(ServerOf(told));
            case "me":
                return await MeAsync(told);
            case "approve":
                return (await (await PlayerOf(told)).AutoApproveAsync("r")).TxId;
            case "cancel":
                return await CancelAsync(ServerOf(told));
            case "webhook":
                return EventIn(told);
            case "links":
                return await LinksAsync();
            case "sign-in":
                return await SignInAsync(told);
            case "switch":
                return await TakingOver.DuringCallAsync(await PlayerOf(told));
            case "late tokens":
                return await TakingOver.DuringReadAsync((string)told["url"]);
            case "late renewal":
                return await TakingOver.DuringRenewalAsync((string)told["url"]);
            case "payment":
                return await PaymentAsync(told);
            case "loopback":
                return await LoopbackAsync(told);
            case "unfinished":
                return await UnfinishedAsync(told);
            default:
                throw new ArgumentException("do");
        }
    }

    private static QuartersServer ServerOf(JObject told)
    {
        var options = new ServerOptions
        {
            Url = (string)told["url"],
            AppId = "app",
            AppAddress = (string)told["appAddress"] ?? "0xApp",
            ServerKey = (string)told["serverKey"] ?? "qk_secret",
            Retries = (int?)told["retries"] ?? 3,
            TimeLimit = TimeSpan.FromMilliseconds((double?)told["timeLimitMs"] ?? 300000),
        };
        if (told["folder"] != null) options.PendingStore = new FilePendingStore((string)told["folder"]);
        return new QuartersServer(options);
    }

    private static async Task<QuartersPlayer> PlayerOf(JObject told, IPages pages = null)
    {
        var options = new PlayerOptions { Url = (string)told["url"], AppId = "app", Retries = 1, Pages = pages };
        if (told["folder"] != null) options.PendingStore = new FilePendingStore((string)told["folder"]);
        var player = new QuartersPlayer(options);
        var tokens = new JObject { ["access"] = "old", ["refresh"] = told["guest"] == null ? "refresh" : null };
        await player.UseAsync(PlayerTokens.Parse(tokens.ToString()));
        return player;
    }

    private static async Task<JToken> MeAsync(JObject told)
    {
        var player = await PlayerOf(told);
        await Task.WhenAll(player.MeAsync(), player.MeAsync(), player.MeAsync());
        return (await player.TokensAsync()).ToText();
    }

    private static async Task<JToken> ListAsync(QuartersServer server)
    {
        var statuses = new JArray();
        for (var page = await server.EventsAsync(AppEventType.GuestMerged); page != null; page = await page.NextAsync())
            foreach (var e in page.Items) statuses.Add(e.Id + " " + e.Data.Sequence + " " + e.Data.Fields["of"]);
        return statuses;
    }

    /// <summary>A header that no call of the library has: its requests are made by itself alone.</summary>
    private static async Task<JToken> SendAsync(JObject told)
    {
        var headers = new Dictionary<string, string> { { "Idempotency-Key", (string)told["key"] } };
        var of = new object[] { "GET", new Uri((string)told["url"]), headers, null, TimeSpan.FromMinutes(5) };
        var own = System.Reflection.BindingFlags.Instance | System.Reflection.BindingFlags.NonPublic;
        var request = (TransportRequest)Activator.CreateInstance(typeof(TransportRequest), own, null, of, null);
        return (await new HttpClientTransport().SendAsync(request, CancellationToken.None)).Status;
    }

    private static async Task<JToken> ResumeAsync(QuartersServer server)
    {
        var all = new JArray();
        foreach (var resumed in await server.ResumeAsync())
            all.Add(resumed.Deed.IdempotencyKey + (resumed.IsUnsendable ? " unsendable" : "") + (resumed.IsDone ? " done" : resumed.IsUnknown ? " unknown" : " refused"));
        return all;
    }

    /// <summary>Ends while the call pauses.</summary>
    private static async Task<JToken> CancelAsync(QuartersServer server)
    {
        using (var source = new CancellationTokenSource(300)) await server.RequestAsync("r", source.Token);
        return "not cancelled";
    }

    private static JToken EventIn(JObject told)
    {
        var headers = (JObject)told["headers"];
        var secrets = new List<string>();
        foreach (var secret in told["secrets"]) secrets.Add((string)secret);
        var tolerance = TimeSpan.FromSeconds((double?)told["tolerance"] ?? 300);
        var e = Webhooks.Verify((string)told["body"], name => (string)headers[name], tolerance, secrets.ToArray());
        return e.Type + " " + e.Id + " " + e.Timestamp.ToUniversalTime().ToString("o");
    }

    /// <summary>Two pages wait, and each gets its own answer.</summary>
    private static async Task<JToken> LinksAsync()
    {
        var opened = new List<string>();
        var pages = new LinkPages("com.acme.game://", opened.Add);
        var options = new PlayerOptions { Url = "https://q.example/", AppId = "app", Locale = "pt-BR", Pages = pages };
        var player = new QuartersPlayer(options);
        await player.UseAsync(PlayerTokens.OfGuest("qa_1", "page"));
        var first = await player.BeginSignUpAsync();
        var second = player.BeginSignIn("openid wallet");
        var one = pages.OpenAsync(first.Page, CancellationToken.None);
        var two = pages.OpenAsync(second.Page, CancellationToken.None);
        var kept = JObject.Parse(second.ToText());
        var answers = new JArray { pages.Arrive("com.acme.game://?code=x&state=forged"), pages.Arrive("nonsense") };
        answers.Add(pages.Arrive("com.acme.game://?code=x&state=" + (string)kept["state"] + "#f"));
        answers.Add(two.IsCompleted && !one.IsCompleted);
        return new JObject { ["opened"] = new JArray(opened.ToArray()), ["answers"] = answers, ["kept"] = kept };
    }

    private static async Task<JToken> SignInAsync(JObject told)
    {
        var player = new QuartersPlayer(new PlayerOptions { Url = (string)told["url"], AppId = "app" });
        var attempt = SignInAttempt.Parse((string)told["attempt"]);
        return (await player.CompleteSignInAsync((string)told["link"], attempt)).AccessToken;
    }

    private static async Task<JToken> PaymentAsync(JObject told)
    {
        var pages = new ToldPages { Answer = told["answer"] };
        var payment = new PaymentOptions { IdempotencyKey = (string)told["key"], TrySpendingLimit = told["limit"] != null };
        if (told["patienceMs"] != null) payment.Patience = TimeSpan.FromMilliseconds((double)told["patienceMs"]);
        var result = await (await PlayerOf(told, pages)).RequestPaymentAsync(25, payment);
        return result.Outcome + " " + (result.Reason ?? "-") + " " + pages.Opened;
    }

    /// <summary>Answers a page as the test says: with a link, or with null as if the player had closed it. Without an answer it stays open.</summary>
    private sealed class ToldPages : IPages
    {
        internal JToken Answer;
        internal string Opened = "unopened";

        public string RedirectUri
        {
            get { return null; }
        }

        public async Task<string> OpenAsync(PlayerPage page, CancellationToken cancel)
        {
            Opened = "opened";
            if (Answer != null) return (string)Answer;
            var open = new TaskCompletionSource<string>();
            using (cancel.Register(() => open.TrySetCanceled()))
            {
                try
                {
                    return await open.Task;
                }
                finally
                {
                    Opened = "closed";
                }
            }
        }
    }

    /// <summary>Signs in, and asks for a payment. The addresses to open go to a file.</summary>
    private static async Task<JToken> LoopbackAsync(JObject told)
    {
        using (var pages = new LoopbackPages(address => System.IO.File.AppendAllText((string)told["file"], address + "\n")))
        {
            var player = new QuartersPlayer(new PlayerOptions { Url = (string)told["url"], AppId = (string)told["app"], Pages = pages });
            await player.SignInAsync();
            var payment = await player.RequestPaymentAsync(5);
            return (await player.MeAsync()).DisplayName + " " + payment.Outcome + " " + pages.RedirectUri;
        }
    }

    private static async Task<JToken> UnfinishedAsync(JObject told)
    {
        var all = new JArray();
        var pages = new ToldPages { Answer = told["answer"] };
        var player = await PlayerOf(told, pages);
        foreach (var found in await player.UnfinishedPaymentsAsync())
        {
            var payment = told["answer"] == null ? found : await player.ContinuePaymentAsync(found);
            all.Add(payment.RequestId + " " + payment.Outcome + " " + pages.Opened);
            if (payment.IsPaid && told["finish"] != null) await player.FinishAsync(payment);
        }
        return all;
    }
}
