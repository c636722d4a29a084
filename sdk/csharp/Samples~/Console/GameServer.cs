using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Quarters;
using Quarters.Server;

/// <summary>
/// What runs on your server: only it has the server API key. Here it is in the same program, so that you can try both at once. In your
/// game these are four calls of your own, from the player's device to your server.
/// </summary>
public sealed class GameServer
{
    private const long ShieldPrice = 25;

    private readonly QuartersServer quarters;

    /// <summary>Your database. Each payment gives one shield.</summary>
    private readonly HashSet<string> given = new HashSet<string>();

    public GameServer(ServerOptions options)
    {
        quarters = new QuartersServer(options);
    }

    /// <summary>At each start: what was under way when the server ended is done now, once.</summary>
    public async Task StartAsync()
    {
        foreach (var resumed in await quarters.ResumeAsync())
            Console.WriteLine("server: resumed " + resumed.Deed.Path + (resumed.IsDone ? ", done" : ", not done"));
    }

    /// <summary>Makes a guest with a gift. Your server keeps both tokens with the player, in case the device is lost.</summary>
    public async Task<PlayerTokens> NewGuestAsync()
    {
        var guest = await quarters.CreateGuestAsync();
        await quarters.PayAsync(new NewTransfer { User = guest.UserId, Amount = 100 }, "welcome-" + guest.UserId, 10);
        return PlayerTokens.OfGuest(guest.AccessToken, guest.FirebaseToken);
    }

    /// <summary>Gives a shield for a payment, once. The device can be made to say anything, so the server reads the payment.</summary>
    public async Task<bool> GiveShieldAsync(string requestId, string userId)
    {
        var request = await quarters.RequestAsync(requestId);
        var isPaid = request.Status == RequestStatus.Approved
            || request.Status == RequestStatus.Submitted
            || request.Status == RequestStatus.Completed;
        return isPaid && request.Tokens == ShieldPrice && request.UserId == userId && given.Add(requestId);
    }

    /// <summary>Pays a prize. The round's id is the key, so no round pays twice.</summary>
    public Task PayPrizeAsync(string userId, string roundId, long prize)
    {
        return quarters.PayAsync(new NewTransfer { User = userId, Amount = prize }, "round-" + roundId);
    }

    /// <summary>Takes a shield back and returns the quarters.</summary>
    public async Task<long> RefundAsync(string requestId)
    {
        var refund = await quarters.RefundAsync(requestId, null, "refund-" + requestId);
        given.Remove(requestId);
        return refund.Amount;
    }

    /// <summary>Your endpoint for events calls this with the body as it came. It answers 400 to a <see cref="VerificationException"/>.</summary>
    public static string OnEvent(string body, Func<string, string> header, string secret)
    {
        var e = Webhooks.Verify(body, header, secret);
        return e.Type + " " + e.Id;
    }
}
