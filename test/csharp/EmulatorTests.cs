// A game's tests with the emulator, as NUnit runs them. QUARTERS_COMMAND is what runs the commands of Quarters, a word a line.
using System;
using System.Collections;
using System.Linq;
using System.Threading.Tasks;
using NUnit.Framework;
using Quarters;
using Quarters.Server;
using Quarters.Testing;

[TestFixture]
public class EmulatorTests
{
    private static readonly string[] Command = Environment.GetEnvironmentVariable("QUARTERS_COMMAND").Split('\n');

    private Emulator emulator;
    private CreateAppResult app;
    private QuartersServer server;

    [TestFixtureSetUp]
    public void Start()
    {
        emulator = Emulator.StartAsync(new StartOptions { Command = Command }).GetAwaiter().GetResult();
        app = emulator.Apps.CreateAsync(new CreateAppInput { Name = "Dragons", Quarters = 10000 }).GetAwaiter().GetResult();
        server = new QuartersServer(
            new ServerOptions { Url = emulator.Url, AppId = app.Id, AppAddress = app.Address, ServerKey = app.ServerKey, Retries = 0 });
        emulator.SnapshotAsync("ready").GetAwaiter().GetResult();
    }

    [TestFixtureTearDown]
    public void Stop()
    {
        emulator.Dispose();
    }

    [SetUp]
    public void Reset()
    {
        emulator.ResetAsync("ready").GetAwaiter().GetResult();
    }

    [Test]
    public async Task AShieldIsPaidOrDeclined()
    {
        var player = await NewPlayerAsync();
        var paid = await player.ApproveAsync(await AskAsync(player.Id), true);
        Assert.AreEqual("approved", paid.Outcome);
        await emulator.SettledAsync();
        Assert.AreEqual(RequestStatus.Completed, (await server.RequestAsync(paid.RequestId)).Status);
        Assert.AreEqual(paid.TxId, (await server.RequestAsync(paid.RequestId)).TxId);

        var declined = await AskAsync(player.Id);
        await player.ReportsProblemAsync(declined, text: "no shield came");
        await emulator.Players.Of(player.Id).DeclineAsync(declined);
        Assert.AreEqual(RequestStatus.Declined, (await server.RequestAsync(declined)).Status);
        Assert.AreEqual(declined, (string)(await emulator.HappenedAsync()).Requests[0]["id"]);
    }

    [Test]
    public async Task ARequestExpires()
    {
        var guest = await server.CreateGuestAsync();
        var request = await AskAsync(guest.UserId, 60);
        await emulator.Time.FreezeAsync();
        var before = await emulator.Time.NowAsync();
        await emulator.Time.AdvanceAsync(TimeSpan.FromSeconds(61));
        Assert.AreEqual(TimeSpan.FromSeconds(61), await emulator.Time.NowAsync() - before);
        Assert.AreEqual(RequestStatus.Expired, (await server.RequestAsync(request)).Status);
        var refused = await RefusalOf(emulator.Time.SetAsync(before));
        Assert.AreNotEqual(0, refused.Status);
        await emulator.Time.GoOnAsync();
    }

    [Test]
    public async Task CallsComeToWhatTheTestDecides()
    {
        var guest = await server.CreateGuestAsync();
        var prize = new NewTransfer { User = guest.UserId, Amount = 13 };
        var transfers = emulator.Next("transfer");
        await transfers.ForApp(app.Id).OfAmount(13).Times(2).FailsAsync(ProblemCode.InsufficientQuarters);
        var armed = (await emulator.OutcomesAsync()).Outcomes;
        Assert.AreEqual(1, armed.Count());
        Assert.AreEqual(2, (int)armed[0]["times"]);
        Assert.IsInstanceOf<InsufficientQuartersException>(await ThrownBy(server.PayAsync(prize, "prize")));
        await emulator.ForgetOutcomesAsync();

        await transfers.FailsAsync(ProblemCode.Internal);
        var any = (await emulator.OutcomesAsync()).Outcomes[0];
        Assert.AreEqual("transfer 1", any["operation"] + " " + any["times"]);
        Assert.IsNull(any["app"] ?? any["amount"]);
        await emulator.ForgetOutcomesAsync();

        await emulator.Next("transfer").IsAcceptedButTheAnswerIsLostAsync();
        Assert.IsInstanceOf<OutcomeUnknownException>(await ThrownBy(server.PayAsync(prize, "prize")));
        var paid = await server.PayAsync(prize, "prize");

        await emulator.Next("transfer").AnswersAfterAsync(TimeSpan.FromMilliseconds(50));
        await server.PayAsync(prize, "later");
        await emulator.Next("transfer").IsRevertedOnChainAsync();
        await server.PayAsync(prize, "reverted");
        await emulator.SettledAsync();
        await emulator.Next("transfer").IsReorganizedAwayAsync();
        await server.PayAsync(prize, "reorganized");
        await emulator.SettledAsync();
        Assert.AreEqual(RequestStatus.Completed, (await server.RequestAsync(paid.RequestId)).Status);
    }

    [Test]
    public async Task TheChainIsSlowAndThenAway()
    {
        var player = await NewPlayerAsync();
        await emulator.Chain.FeesAsync(30);
        await emulator.Chain.UsualFeesAsync();
        await emulator.Chain.ManualBlocksAsync();
        var request = await AskAsync(player.Id);
        await player.ApproveAsync(request);
        Assert.AreNotEqual(RequestStatus.Completed, (await server.RequestAsync(request)).Status);
        await emulator.Chain.MineAsync();
        Assert.AreEqual(RequestStatus.Completed, (await server.RequestAsync(request)).Status);
        await emulator.Chain.ReorganizeAsync(1);
        await emulator.Chain.DownAsync();
        await emulator.Chain.UpAsync();
        await emulator.Chain.BlocksEveryAsync(TimeSpan.FromMilliseconds(50));
        await emulator.Chain.InstantBlocksAsync();
        Assert.AreEqual("instant", (string)(await emulator.StateAsync()).Blocks);
    }

    [Test]
    public async Task WebhooksAreHeld()
    {
        await emulator.Webhooks.HoldAsync();
        await emulator.Webhooks.DuplicateAsync(2, app.Id);
        await emulator.Webhooks.DropAsync();
        await emulator.Webhooks.DelayAsync(TimeSpan.FromSeconds(30));
        Assert.AreEqual(3, (await emulator.Webhooks.StateAsync()).Armed.Count());
        var released = await emulator.Webhooks.ReleaseAsync(new ReleaseWebhooksInput { Order = "shuffled", Seed = 7 });
        Assert.AreEqual(7, released.Seed);
        await emulator.Webhooks.ForgetAsync();
        await emulator.Webhooks.DeliveredAsync();
        Assert.AreEqual(0, (await emulator.Webhooks.StateAsync()).Armed.Count());
    }

    [Test]
    public async Task AGuestBecomesAUserWhoLeaves()
    {
        var guest = await NewPlayerAsync();
        var user = await guest.SignUpAsync(displayName: "Ada");
        Assert.AreEqual(guest.Address, user.Address);
        Assert.AreEqual("full", user.Kind);
        var sent = await user.WithdrawsAsync("0x00000000000000000000000000000000000000aa", 400);
        Assert.IsNotNull(sent.TxId);
        await emulator.SettledAsync();
        await user.ClosesAccountAsync();
        Assert.AreEqual(409, (await RefusalOf(user.ClosesAccountAsync())).Status);
    }

    [Test]
    public async Task AnotherProcessConnects()
    {
        // The environment names none.
        Assert.IsNull((await RefusalOf(Emulator.ConnectAsync())).Code);
        Assert.IsNull((await RefusalOf(Emulator.ConnectAsync("http://127.0.0.1:9", "token"))).Code);
        var failed = await RefusalOf(Emulator.StartAsync(new StartOptions { Command = new[] { Command[0], "-e", "console.error('no luck')" } }));
        StringAssert.Contains("no luck", failed.Message);
        Assert.IsNull((await RefusalOf(Emulator.StartAsync(new StartOptions { Command = new[] { "no-such-program" } }))).Code);
    }

    [Test]
    public void ACoroutineWaitsForATaskAndThrowsWhatItThrew()
    {
        // Unity goes on with a coroutine in each frame.
        var waiting = emulator.SettledAsync().AsCoroutine();
        while (waiting.MoveNext()) Assert.IsNull(waiting.Current);
        var refused = emulator.ResetAsync("nowhere").AsCoroutine();
        var thrown = Assert.Throws<EmulatorException>(() => { while (refused.MoveNext()) { } });
        Assert.AreEqual("refused", thrown.Code);
    }

    private Task<Player> NewPlayerAsync()
    {
        return emulator.Players.CreateAsync(new CreatePlayerInput { App = app.Id, Quarters = 500 });
    }

    private async Task<string> AskAsync(string userId, long? seconds = null)
    {
        var request = new NewRequest { Tokens = 25, UserId = userId, Description = "A shield", ExpiresIn = seconds };
        return (await server.AskAsync(request)).Id;
    }

    private static async Task<Exception> ThrownBy(Task task)
    {
        try
        {
            await task;
        }
        catch (Exception error)
        {
            return error;
        }
        throw new Exception("It threw nothing.");
    }

    private static async Task<EmulatorException> RefusalOf(Task task)
    {
        return (EmulatorException)await ThrownBy(task);
    }
}
