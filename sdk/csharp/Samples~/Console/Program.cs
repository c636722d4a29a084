using System;
using System.IO;
using System.Threading.Tasks;
using Quarters;
using Quarters.Server;

/// <summary>
/// A game in a terminal: buy, win, sign-up, refund. It prints the address of each page to open. In a game with a window the platform opens
/// it, and brings the player back by the game's own scheme. Here you paste that address.
/// </summary>
public static class Program
{
    private static readonly GameServer Server = new GameServer(ServerOptions());
    private static readonly LinkPages Pages = new LinkPages(Setting("REDIRECT_URI"), address => Console.WriteLine("open " + address));
    private static readonly QuartersPlayer Player = new QuartersPlayer(new PlayerOptions
    {
        Url = Setting("URL"),
        AppId = Setting("APP_ID"),
        Pages = Pages,
        TokenStore = new FileTokenStore(Path.Combine(Setting("FOLDER"), "tokens")),
        PendingStore = new FilePendingStore(Path.Combine(Setting("FOLDER"), "player")),
    });

    private static string lastPaid;

    public static void Main()
    {
        RunAsync().GetAwaiter().GetResult();
    }

    private static async Task RunAsync()
    {
        await Server.StartAsync();
        if (await Player.TokensAsync() == null) await Player.UseAsync(await Server.NewGuestAsync());
        // What was paid before the game was killed.
        foreach (var payment in await Player.UnfinishedPaymentsAsync()) await TakeAsync(payment);
        await ShowAsync();
        while (true)
        {
            var line = await Task.Run(() => Console.ReadLine());
            if (line == null || line == "quit") return;
            // Not awaited: the player may come back by a link meanwhile.
            if (!Pages.Arrive(line)) Forget(DoAsync(line));
        }
    }

    private static async Task DoAsync(string line)
    {
        switch (line)
        {
            case "buy":
                await TakeAsync(await Player.RequestPaymentAsync(25, new PaymentOptions { Description = "A shield" }));
                break;
            case "win":
                await Server.PayPrizeAsync((await Player.MeAsync()).Id, Guid.NewGuid().ToString(), 10);
                break;
            case "sign-up":
                if (await Player.SignUpGuestAsync() != null) Console.WriteLine("playing as " + (await Player.MeAsync()).DisplayName);
                break;
            case "refund":
                Console.WriteLine("refunded " + await Server.RefundAsync(lastPaid));
                break;
            default:
                Console.WriteLine("buy, win, sign-up, refund or quit");
                return;
        }
        await ShowAsync();
    }

    /// <summary>Gives what was paid for, and says so, in this order: a game that is killed in between finds the payment again.</summary>
    private static async Task TakeAsync(PaymentResult payment)
    {
        Console.WriteLine("payment " + payment.Outcome + (payment.Reason == null ? "" : ", " + payment.Reason));
        if (!payment.IsPaid) return;
        if (await Server.GiveShieldAsync(payment.RequestId, (await Player.MeAsync()).Id)) Console.WriteLine("you have a shield");
        await Player.FinishAsync(payment);
        lastPaid = payment.RequestId;
    }

    private static async Task ShowAsync()
    {
        var account = await Player.AccountAsync();
        Console.WriteLine("quarters " + (await Player.BalanceAsync(account.Address)).Quarters);
    }

    private static async void Forget(Task task)
    {
        try
        {
            await task;
        }
        catch (OutcomeUnknownException)
        {
            Console.WriteLine("We don't know yet whether that worked. The next start of the game finds out.");
        }
        catch (QuartersException error)
        {
            Console.WriteLine("That did not work: " + error.Message);
        }
    }

    private static ServerOptions ServerOptions()
    {
        return new ServerOptions
        {
            Url = Setting("URL"),
            AppId = Setting("APP_ID"),
            AppAddress = Setting("APP_ADDRESS"),
            ServerKey = Setting("SERVER_KEY"),
            PendingStore = new FilePendingStore(Path.Combine(Setting("FOLDER"), "server")),
        };
    }

    private static string Setting(string name)
    {
        var value = Environment.GetEnvironmentVariable("QUARTERS_" + name);
        if (string.IsNullOrEmpty(value)) throw new InvalidOperationException("Set QUARTERS_" + name + ".");
        return value;
    }

    /// <summary>A file, for a try-out. A game on a player's device keeps tokens where the platform keeps secrets.</summary>
    private sealed class FileTokenStore : ITokenStore
    {
        private readonly string path;

        internal FileTokenStore(string path)
        {
            this.path = path;
        }

        public Task<string> ReadAsync()
        {
            return Task.FromResult(File.Exists(path) ? File.ReadAllText(path) : null);
        }

        public Task WriteAsync(string tokens)
        {
            if (tokens == null) File.Delete(path);
            else File.WriteAllText(path, tokens);
            return Task.FromResult(true);
        }
    }
}
