using System;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;
using Quarters;
using UnityEngine;
using UnityEngine.Networking;

/// <summary>
/// Put it on an object of an empty scene, and fill in its fields. It needs your own server for two calls: POST /guest answers with a guest's
/// tokens, and POST /bought with whether a payment gave a shield (Samples~/Console/GameServer.cs has both).
/// </summary>
public sealed class Shop : MonoBehaviour
{
    [SerializeField] private string quartersUrl = "http://localhost:8080";
    [SerializeField] private string appId = "";
    [SerializeField] private string redirectUri = "com.acme.game://";
    [SerializeField] private string gameServer = "http://localhost:3000";

    private QuartersPlayer player;
    private CancellationTokenSource ending;
    private string message = "Loading…";
    private bool isBusy = true;

    private void Start()
    {
        ending = new CancellationTokenSource();
        player = new QuartersPlayer(new PlayerOptions
        {
            Url = quartersUrl,
            AppId = appId,
            Pages = UnityPages.New(quartersUrl, redirectUri),
            // For a try-out. A release keeps tokens in Keychain or Keystore.
            TokenStore = new PlayerPrefsTokenStore(),
            PendingStore = new PlayerPrefsPendingStore(),
        });
        Run(BeginAsync);
    }

    private void OnDestroy()
    {
        // Payments under way are found again by UnfinishedPaymentsAsync.
        ending.Cancel();
    }

    private void OnGUI()
    {
        GUILayout.Label(message);
        GUI.enabled = !isBusy;
        if (GUILayout.Button("Buy a shield for 25")) Run(BuyAsync);
        if (GUILayout.Button("Keep your quarters: sign up")) Run(SignUpAsync);
    }

    private async Task BeginAsync()
    {
        if (await player.TokensAsync() == null)
        {
            var guest = await AskServerAsync("/guest", new JObject());
            await player.UseAsync(PlayerTokens.OfGuest((string)guest["accessToken"], (string)guest["pageToken"]));
        }
        foreach (var payment in await player.UnfinishedPaymentsAsync(ending.Token)) await TakeAsync(payment);
        await ShowAsync("Welcome.");
    }

    private async Task BuyAsync()
    {
        message = "Waiting for the payment page…";
        await TakeAsync(await player.RequestPaymentAsync(25, new PaymentOptions { Description = "A shield" }, ending.Token));
    }

    private async Task SignUpAsync()
    {
        var tokens = await player.SignUpGuestAsync(ending.Token);
        await ShowAsync(tokens == null ? "Not signed up." : "Playing as " + (await player.MeAsync(ending.Token)).DisplayName + ".");
    }

    private async Task TakeAsync(PaymentResult payment)
    {
        if (!payment.IsPaid)
        {
            await ShowAsync(payment.Outcome == PaymentOutcome.Pending ? "Not decided yet." : "Nothing was paid.");
            return;
        }
        var answer = await AskServerAsync("/bought", new JObject { ["requestId"] = payment.RequestId });
        // Your server knows the payment now. Only then is it finished here.
        await player.FinishAsync(payment);
        await ShowAsync((bool)answer["hasShield"] ? "Your shield is ready." : "Your server did not accept the payment.");
    }

    private async Task ShowAsync(string text)
    {
        var account = await player.AccountAsync(ending.Token);
        var balance = await player.BalanceAsync(account.Address, ending.Token);
        message = text + " You have " + balance.FormattedQuarters + " quarters.";
    }

    /// <summary>One thing at a time, and every error in words.</summary>
    private async void Run(Func<Task> work)
    {
        isBusy = true;
        try
        {
            await work();
        }
        catch (OperationCanceledException)
        {
            // The scene has ended.
        }
        catch (ConnectionException)
        {
            message = "No answer. Nothing is lost: we look again at the next start.";
        }
        catch (QuartersException error)
        {
            message = error.Message;
        }
        catch (Exception error)
        {
            Debug.LogException(error);
            message = "Something went wrong.";
        }
        isBusy = false;
    }

    /// <summary>A call to your own server. It knows the player by your own session, which this sample does not have.</summary>
    private async Task<JObject> AskServerAsync(string path, JObject body)
    {
        using (var web = new UnityWebRequest(new Uri(gameServer + path), "POST"))
        {
            web.downloadHandler = new DownloadHandlerBuffer();
            web.uploadHandler = new UploadHandlerRaw(Encoding.UTF8.GetBytes(body.ToString())) { contentType = "application/json" };
            var done = new TaskCompletionSource<bool>();
            web.SendWebRequest().completed += _ => done.TrySetResult(true);
            await done.Task;
            if (web.result != UnityWebRequest.Result.Success) throw new Exception(web.error);
            return JObject.Parse(web.downloadHandler.text);
        }
    }
}
