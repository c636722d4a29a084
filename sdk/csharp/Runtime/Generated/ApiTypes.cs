// Written by scripts/write-csharp-types.ts: run npm run generate.
using System;
using System.Collections.Generic;
using Newtonsoft.Json.Linq;

namespace Quarters
{
    /// <summary>Why a call was refused (RFC 9457).</summary>
    public sealed class Problem
    {
        /// <summary>Reads it from the JSON of an answer.</summary>
        /// <exception cref="FormatException">A field is missing, or of another type.</exception>
        public Problem(JObject json)
        {
            Type = Json.Text(json, "type");
            Title = Json.Text(json, "title");
            Status = Json.Number(json, "status");
            Detail = Json.Text(json, "detail");
            Code = Json.Text(json, "code");
            Message = Json.Text(json, "message");
            Errors = Json.ListOrNull(json, "errors", item => new InputFault(item));
        }

        /// <summary>The same in every installation.</summary>
        public string Type { get; }

        /// <summary>The same for every problem with this code.</summary>
        public string Title { get; }

        /// <summary>The HTTP status.</summary>
        public long Status { get; }

        /// <summary>A sentence for people.</summary>
        public string Detail { get; }

        /// <summary>The code that programs should read.</summary>
        public string Code { get; }

        /// <summary>The same as <c>detail</c>.</summary>
        public string Message { get; }

        /// <summary>Only for invalid input. May be null.</summary>
        public IReadOnlyList<InputFault> Errors { get; }
    }

    /// <summary>An item of <see cref="Problem.Errors"/>.</summary>
    public sealed class InputFault
    {
        /// <summary>Reads it from the JSON of an answer.</summary>
        /// <exception cref="FormatException">A field is missing, or of another type.</exception>
        public InputFault(JObject json)
        {
            Pointer = Json.Text(json, "pointer");
            Detail = Json.Text(json, "detail");
        }

        /// <summary>A JSON pointer into the body (RFC 6901), or <c>path/…</c>, <c>query/…</c>, <c>header/…</c>.</summary>
        public string Pointer { get; }

        /// <summary>What is wrong there.</summary>
        public string Detail { get; }
    }

    /// <summary>The player who is identified by the access token.</summary>
    public sealed class User
    {
        /// <summary>Reads it from the JSON of an answer.</summary>
        /// <exception cref="FormatException">A field is missing, or of another type.</exception>
        public User(JObject json)
        {
            Id = Json.Text(json, "id");
            UserId = Json.Text(json, "userId");
            DisplayName = Json.Text(json, "displayName");
            Email = Json.Text(json, "email");
            EmailVerified = Json.Bool(json, "emailVerified");
        }

        /// <summary>A user's id.</summary>
        public string Id { get; }

        /// <summary>A user's id.</summary>
        public string UserId { get; }

        /// <summary>Empty without the scope profile.</summary>
        public string DisplayName { get; }

        /// <summary>Empty for guests, and without the scope email.</summary>
        public string Email { get; }

        /// <summary>Whether the player has proved that the address is theirs.</summary>
        public bool EmailVerified { get; }
    }

    /// <summary>A player's account. Its id is its address.</summary>
    public sealed class Account
    {
        /// <summary>Reads it from the JSON of an answer.</summary>
        /// <exception cref="FormatException">A field is missing, or of another type.</exception>
        public Account(JObject json)
        {
            Id = Json.Text(json, "id");
            Address = Json.Text(json, "address");
            Created = Json.Text(json, "created");
            UserId = Json.Text(json, "userId");
        }

        /// <summary>An Ethereum address with its EIP-55 checksum.</summary>
        public string Id { get; }

        /// <summary>An Ethereum address with its EIP-55 checksum.</summary>
        public string Address { get; }

        /// <summary>Month, day, year and time, UTC.</summary>
        public string Created { get; }

        /// <summary>A user's id.</summary>
        public string UserId { get; }
    }

    /// <summary>The amount available now: the balance on the chain, less quarters held for transfers under way.</summary>
    public sealed class Balance
    {
        /// <summary>Reads it from the JSON of an answer.</summary>
        /// <exception cref="FormatException">A field is missing, or of another type.</exception>
        public Balance(JObject json)
        {
            Quarters = Json.NumberInText(json, "quarters");
            FormattedQuarters = Json.Text(json, "formattedQuarters");
            Ethers = Json.Text(json, "ethers");
            FormattedEthers = Json.Text(json, "formattedEthers");
        }

        /// <summary>Quarters.</summary>
        public long Quarters { get; }

        /// <summary>The same with thousands separators.</summary>
        public string FormattedQuarters { get; }

        /// <summary>In wei, of any size, at most five seconds old; while no chain node answers, as last known, with the header Ether-Age.</summary>
        public string Ethers { get; }

        /// <summary>In ether, rounded down.</summary>
        public string FormattedEthers { get; }
    }

    /// <summary>Quarters granted to the player but not claimed yet. Approved requests use them first.</summary>
    public sealed class Reward
    {
        /// <summary>Reads it from the JSON of an answer.</summary>
        /// <exception cref="FormatException">A field is missing, or of another type.</exception>
        public Reward(JObject json)
        {
            RewardAmount = Json.NumberInText(json, "rewardAmount");
            RewardAmountFormatted = Json.Text(json, "rewardAmountFormatted");
        }

        /// <summary>Quarters.</summary>
        public long RewardAmount { get; }

        /// <summary>The same with thousands separators.</summary>
        public string RewardAmountFormatted { get; }
    }

    /// <summary>A guest and its tokens. The tokens can spend the guest's quarters.</summary>
    public sealed class Guest
    {
        /// <summary>Reads it from the JSON of an answer.</summary>
        /// <exception cref="FormatException">A field is missing, or of another type.</exception>
        public Guest(JObject json)
        {
            UserId = Json.Text(json, "user_id");
            AccessToken = Json.Text(json, "access_token");
            FirebaseToken = Json.Text(json, "firebase_token");
            Address = Json.Text(json, "address");
        }

        /// <summary>A user's id.</summary>
        public string UserId { get; }

        /// <summary>The guest's access token.</summary>
        public string AccessToken { get; }

        /// <summary>Page token: opens the approval page.</summary>
        public string FirebaseToken { get; }

        /// <summary>An Ethereum address with its EIP-55 checksum.</summary>
        public string Address { get; }
    }

    /// <summary>Input of the call "Ask a player for quarters".</summary>
    public sealed class NewRequest
    {
        /// <summary>A whole number of quarters from 1 to 9007199254740991.</summary>
        public long Tokens { get; set; }

        /// <summary>An app's id, a string.</summary>
        public string AppId { get; set; }

        /// <summary>A user's id, 28 letters and digits. Optional.</summary>
        public string UserId { get; set; }

        /// <summary>Text of up to 280 characters, without U+0000 and halves of surrogate pairs, or null for none.</summary>
        public string Description { get; set; }

        /// <summary>A whole number of seconds from 60 to 86400, after which the request expires. Optional.</summary>
        public long? ExpiresIn { get; set; }

        /// <summary>The JSON of the body. What is null is left out, unless it is required.</summary>
        public JObject ToJson()
        {
            var json = new JObject();
            json["tokens"] = Tokens;
            json["appId"] = AppId;
            if (UserId != null) json["userId"] = UserId;
            if (Description != null) json["description"] = Description;
            if (ExpiresIn != null) json["expiresIn"] = ExpiresIn;
            return json;
        }
    }

    /// <summary>An app's request for a player's quarters.</summary>
    public sealed class TransferRequest
    {
        /// <summary>Reads it from the JSON of an answer.</summary>
        /// <exception cref="FormatException">A field is missing, or of another type.</exception>
        public TransferRequest(JObject json)
        {
            Id = Json.Text(json, "id");
            Tokens = Json.Number(json, "tokens");
            AppId = Json.Text(json, "appId");
            AppAddress = Json.Text(json, "appAddress");
            EmbedCode = Json.Text(json, "embedCode");
            Description = Json.Text(json, "description");
            Type = Json.Text(json, "type");
            Endpoint = Json.Text(json, "endpoint");
            Created = Json.Moment(json, "created");
            UserId = Json.Text(json, "userId");
        }

        /// <summary>A request's id, a UUID.</summary>
        public string Id { get; }

        /// <summary>Quarters.</summary>
        public long Tokens { get; }

        /// <summary>An app's id.</summary>
        public string AppId { get; }

        /// <summary>An Ethereum address with its EIP-55 checksum.</summary>
        public string AppAddress { get; }

        /// <summary>A request's id, a UUID.</summary>
        public string EmbedCode { get; }

        /// <summary>The text shown to the player.</summary>
        public string Description { get; }

        /// <summary>Always <c>transfer</c>.</summary>
        public string Type { get; }

        /// <summary>The path of the request.</summary>
        public string Endpoint { get; }

        /// <summary>When it was made.</summary>
        public DateTimeOffset Created { get; }

        /// <summary>A user's id.</summary>
        public string UserId { get; }
    }

    /// <summary>A request and its status.</summary>
    public sealed class RequestState
    {
        /// <summary>Reads it from the JSON of an answer.</summary>
        /// <exception cref="FormatException">A field is missing, or of another type.</exception>
        public RequestState(JObject json)
        {
            Id = Json.Text(json, "id");
            Tokens = Json.Number(json, "tokens");
            AppId = Json.Text(json, "appId");
            AppAddress = Json.Text(json, "appAddress");
            EmbedCode = Json.Text(json, "embedCode");
            Description = Json.Text(json, "description");
            Type = Json.Text(json, "type");
            Endpoint = Json.Text(json, "endpoint");
            Created = Json.Moment(json, "created");
            UserId = Json.Text(json, "userId");
            Status = Json.Text(json, "status");
            TxId = Json.TextOrNull(json, "txId");
            Completed = Json.MomentOrNull(json, "completed");
            Refunded = Json.Number(json, "refunded");
            RefundOf = Json.TextOrNull(json, "refundOf");
        }

        /// <summary>A request's id, a UUID.</summary>
        public string Id { get; }

        /// <summary>Quarters.</summary>
        public long Tokens { get; }

        /// <summary>An app's id.</summary>
        public string AppId { get; }

        /// <summary>An Ethereum address with its EIP-55 checksum.</summary>
        public string AppAddress { get; }

        /// <summary>A request's id, a UUID.</summary>
        public string EmbedCode { get; }

        /// <summary>The text shown to the player.</summary>
        public string Description { get; }

        /// <summary>Always <c>transfer</c>.</summary>
        public string Type { get; }

        /// <summary>The path of the request.</summary>
        public string Endpoint { get; }

        /// <summary>When it was made.</summary>
        public DateTimeOffset Created { get; }

        /// <summary>A user's id.</summary>
        public string UserId { get; }

        /// <summary>One of <see cref="RequestStatus"/>.</summary>
        public string Status { get; }

        /// <summary>The hash of its Ethereum transaction; null until it is approved.</summary>
        public string TxId { get; }

        /// <summary>When it was completed; null until then.</summary>
        public DateTimeOffset? Completed { get; }

        /// <summary>Quarters that were returned or are being returned.</summary>
        public long Refunded { get; }

        /// <summary>The id of the payment that it refunds; null for a payment.</summary>
        public string RefundOf { get; }
    }

    /// <summary>Input of the call "Approve a request without asking the player".</summary>
    public sealed class AutoApproval
    {
        /// <summary>An app's id, a string.</summary>
        public string ClientId { get; set; }

        /// <summary>A user's id, 28 letters and digits.</summary>
        public string UserId { get; set; }

        /// <summary>An Ethereum address, 0x and 40 hexadecimal digits, with a right checksum where its letter case is mixed. Optional.</summary>
        public string Address { get; set; }

        /// <summary>The JSON of the body. What is null is left out, unless it is required.</summary>
        public JObject ToJson()
        {
            var json = new JObject();
            json["clientId"] = ClientId;
            json["userId"] = UserId;
            if (Address != null) json["address"] = Address;
            return json;
        }
    }

    /// <summary>The transfer is signed and stored, and cannot be revoked. The hash is known before the transaction is sent.</summary>
    public sealed class TransferOutcome
    {
        /// <summary>Reads it from the JSON of an answer.</summary>
        /// <exception cref="FormatException">A field is missing, or of another type.</exception>
        public TransferOutcome(JObject json)
        {
            RequestId = Json.Text(json, "requestId");
            TxId = Json.Text(json, "txId");
        }

        /// <summary>A request's id, a UUID.</summary>
        public string RequestId { get; }

        /// <summary>The hash of an Ethereum transaction.</summary>
        public string TxId { get; }
    }

    /// <summary>Input of the call "Refund a payment in full or in part".</summary>
    public sealed class NewRefund
    {
        /// <summary>A whole number of quarters from 1 to 9007199254740991. Optional.</summary>
        public long? Amount { get; set; }

        /// <summary>The JSON of the body. What is null is left out, unless it is required.</summary>
        public JObject ToJson()
        {
            var json = new JObject();
            if (Amount != null) json["amount"] = Amount;
            return json;
        }
    }

    /// <summary>The refund, which is a request of its own. It is signed and stored.</summary>
    public sealed class RefundOutcome
    {
        /// <summary>Reads it from the JSON of an answer.</summary>
        /// <exception cref="FormatException">A field is missing, or of another type.</exception>
        public RefundOutcome(JObject json)
        {
            RequestId = Json.Text(json, "requestId");
            TxId = Json.Text(json, "txId");
            RefundOf = Json.Text(json, "refundOf");
            Amount = Json.Number(json, "amount");
        }

        /// <summary>A request's id, a UUID.</summary>
        public string RequestId { get; }

        /// <summary>The hash of an Ethereum transaction.</summary>
        public string TxId { get; }

        /// <summary>A request's id, a UUID.</summary>
        public string RefundOf { get; }

        /// <summary>Quarters.</summary>
        public long Amount { get; }
    }

    /// <summary>Input of the call "Pay a player from an app account".</summary>
    public sealed class NewTransfer
    {
        /// <summary>A whole number of quarters from 1 to 9007199254740991.</summary>
        public long Amount { get; set; }

        /// <summary>A user's id, 28 letters and digits. Optional.</summary>
        public string User { get; set; }

        /// <summary>An Ethereum address, 0x and 40 hexadecimal digits, with a right checksum where its letter case is mixed. Optional.</summary>
        public string Address { get; set; }

        /// <summary>The JSON of the body. What is null is left out, unless it is required.</summary>
        public JObject ToJson()
        {
            var json = new JObject();
            json["amount"] = Amount;
            if (User != null) json["user"] = User;
            if (Address != null) json["address"] = Address;
            return json;
        }
    }

    /// <summary>The body of a webhook, with the id of the event.</summary>
    public sealed class AppEvent
    {
        /// <summary>Reads it from the JSON of an answer.</summary>
        /// <exception cref="FormatException">A field is missing, or of another type.</exception>
        public AppEvent(JObject json)
        {
            Id = Json.Text(json, "id");
            Type = Json.Text(json, "type");
            Timestamp = Json.Time(json, "timestamp");
            Data = Json.Object(json, "data", item => new AppEventData(item));
        }

        /// <summary>The event's id.</summary>
        public string Id { get; }

        /// <summary>One of <see cref="AppEventType"/>.</summary>
        public string Type { get; }

        /// <summary>When it happened (ISO 8601, UTC).</summary>
        public DateTimeOffset Timestamp { get; }

        /// <summary>The object that the event is about, as it was then.</summary>
        public AppEventData Data { get; }
    }

    /// <summary>The object that the event is about, as it was then.</summary>
    public sealed class AppEventData
    {
        /// <summary>Reads it from the JSON of an answer.</summary>
        /// <exception cref="FormatException">A field is missing, or of another type.</exception>
        public AppEventData(JObject json)
        {
            Sequence = Json.Number(json, "sequence");
            Test = Json.Flag(json, "test");
            Fields = json;
        }

        /// <summary>The number of this event among those of one request, transfer or guest.</summary>
        public long Sequence { get; }

        /// <summary>Present in a test event, which is about something that does not exist.</summary>
        public bool Test { get; }

        /// <summary>All fields, as they came.</summary>
        public JObject Fields { get; }
    }

    /// <summary>Input of the call "Send an event again".</summary>
    public sealed class Redelivery
    {
        /// <summary>An endpoint's id. Optional.</summary>
        public string Endpoint { get; set; }

        /// <summary>The JSON of the body. What is null is left out, unless it is required.</summary>
        public JObject ToJson()
        {
            var json = new JObject();
            if (Endpoint != null) json["endpoint"] = Endpoint;
            return json;
        }
    }

    /// <summary>The event and the endpoints that it is sent to again.</summary>
    public sealed class Redelivered
    {
        /// <summary>Reads it from the JSON of an answer.</summary>
        /// <exception cref="FormatException">A field is missing, or of another type.</exception>
        public Redelivered(JObject json)
        {
            Id = Json.Text(json, "id");
            Endpoints = Json.Texts(json, "endpoints");
        }

        /// <summary>The event's id.</summary>
        public string Id { get; }

        /// <summary>The ids of the endpoints that it is sent to.</summary>
        public IReadOnlyList<string> Endpoints { get; }
    }

    /// <summary>Input of the call "Add a webhook endpoint".</summary>
    public sealed class NewWebhookEndpoint
    {
        /// <summary>An https:// address of the public internet.</summary>
        public string Url { get; set; }

        /// <summary>A list of event types; null for all, including future ones.</summary>
        public IReadOnlyList<string> Types { get; set; }

        /// <summary>The JSON of the body. What is null is left out, unless it is required.</summary>
        public JObject ToJson()
        {
            var json = new JObject();
            json["url"] = Url;
            if (Types != null) json["types"] = Json.ArrayOf(Types);
            return json;
        }
    }

    /// <summary>A new endpoint, with its secret.</summary>
    public sealed class AddedWebhookEndpoint
    {
        /// <summary>Reads it from the JSON of an answer.</summary>
        /// <exception cref="FormatException">A field is missing, or of another type.</exception>
        public AddedWebhookEndpoint(JObject json)
        {
            Id = Json.Text(json, "id");
            Url = Json.Text(json, "url");
            Types = Json.TextsOrNull(json, "types");
            Enabled = Json.Bool(json, "enabled");
            DisabledReason = Json.TextOrNull(json, "disabledReason");
            FailingSince = Json.MomentOrNull(json, "failingSince");
            Created = Json.Moment(json, "created");
            Secret = Json.Text(json, "secret");
        }

        /// <summary>The endpoint's id, a UUID.</summary>
        public string Id { get; }

        /// <summary>Where events are sent.</summary>
        public string Url { get; }

        /// <summary>Null: all types, including future ones.</summary>
        public IReadOnlyList<string> Types { get; }

        /// <summary>Whether events are sent to it.</summary>
        public bool Enabled { get; }

        /// <summary>Owner: disabled by its owner; gone: it answered 410; failing: it failed for three days. One of <see cref="EndpointDisabledReason"/>. May be null.</summary>
        public string DisabledReason { get; }

        /// <summary>Null: the last delivery succeeded.</summary>
        public DateTimeOffset? FailingSince { get; }

        /// <summary>When it was made.</summary>
        public DateTimeOffset Created { get; }

        /// <summary>Signs each delivery; shown only once.</summary>
        public string Secret { get; }
    }

    /// <summary>An item of <see cref="NewTransfers.Transfers"/>.</summary>
    public sealed class NewTransferLine
    {
        /// <summary>A whole number of quarters from 1 to 9007199254740991.</summary>
        public long Amount { get; set; }

        /// <summary>A user's id, 28 letters and digits. Optional.</summary>
        public string User { get; set; }

        /// <summary>An Ethereum address, 0x and 40 hexadecimal digits, with a right checksum where its letter case is mixed. Optional.</summary>
        public string Address { get; set; }

        /// <summary>A text of up to 100 characters, your own name for this line. Optional.</summary>
        public string Reference { get; set; }

        /// <summary>The JSON of the body. What is null is left out, unless it is required.</summary>
        public JObject ToJson()
        {
            var json = new JObject();
            json["amount"] = Amount;
            if (User != null) json["user"] = User;
            if (Address != null) json["address"] = Address;
            if (Reference != null) json["reference"] = Reference;
            return json;
        }
    }

    /// <summary>Input of the call "Pay many players from an app account".</summary>
    public sealed class NewTransfers
    {
        /// <summary>A list of 1 to 1000 transfers.</summary>
        public IReadOnlyList<NewTransferLine> Transfers { get; set; }

        /// <summary>The JSON of the body. What is null is left out, unless it is required.</summary>
        public JObject ToJson()
        {
            var json = new JObject();
            json["transfers"] = Json.ArrayOf(Transfers);
            return json;
        }
    }

    /// <summary>The outcome of a line: <c>requestId</c> and <c>txId</c>, or <c>error</c>.</summary>
    public sealed class TransferLine
    {
        /// <summary>Reads it from the JSON of an answer.</summary>
        /// <exception cref="FormatException">A field is missing, or of another type.</exception>
        public TransferLine(JObject json)
        {
            RequestId = Json.TextOrNull(json, "requestId");
            TxId = Json.TextOrNull(json, "txId");
            Error = Json.ObjectOrNull(json, "error", item => new Problem(item));
            Reference = Json.TextOrNull(json, "reference");
        }

        /// <summary>A request's id, a UUID. May be null.</summary>
        public string RequestId { get; }

        /// <summary>The hash of an Ethereum transaction. May be null.</summary>
        public string TxId { get; }

        /// <summary>Why a call was refused (RFC 9457). May be null.</summary>
        public Problem Error { get; }

        /// <summary>A text of up to 100 characters, your own name for this line. May be null.</summary>
        public string Reference { get; }
    }

    /// <summary>The outcome of each line, in order.</summary>
    public sealed class TransferLines
    {
        /// <summary>Reads it from the JSON of an answer.</summary>
        /// <exception cref="FormatException">A field is missing, or of another type.</exception>
        public TransferLines(JObject json)
        {
            Transfers = Json.List(json, "transfers", item => new TransferLine(item));
        }

        /// <summary>The outcomes, in the order of the lines.</summary>
        public IReadOnlyList<TransferLine> Transfers { get; }
    }

    /// <summary>A movement of quarters from one account to another.</summary>
    public sealed class Transfer
    {
        /// <summary>Reads it from the JSON of an answer.</summary>
        /// <exception cref="FormatException">A field is missing, or of another type.</exception>
        public Transfer(JObject json)
        {
            Id = Json.Text(json, "id");
            RequestId = Json.Text(json, "requestId");
            From = Json.Text(json, "from");
            To = Json.Text(json, "to");
            Amount = Json.Number(json, "amount");
            Status = Json.Text(json, "status");
            TxId = Json.Text(json, "txId");
            Created = Json.Moment(json, "created");
            Completed = Json.MomentOrNull(json, "completed");
            RefundOf = Json.TextOrNull(json, "refundOf");
        }

        /// <summary>A transfer's id, a UUID.</summary>
        public string Id { get; }

        /// <summary>A request's id, a UUID.</summary>
        public string RequestId { get; }

        /// <summary>An Ethereum address with its EIP-55 checksum.</summary>
        public string From { get; }

        /// <summary>An Ethereum address with its EIP-55 checksum.</summary>
        public string To { get; }

        /// <summary>Quarters.</summary>
        public long Amount { get; }

        /// <summary>One of <see cref="TransferStatus"/>.</summary>
        public string Status { get; }

        /// <summary>The hash of an Ethereum transaction.</summary>
        public string TxId { get; }

        /// <summary>When it was made.</summary>
        public DateTimeOffset Created { get; }

        /// <summary>When its request was completed; null until then.</summary>
        public DateTimeOffset? Completed { get; }

        /// <summary>The id of the payment that it refunds; null for others.</summary>
        public string RefundOf { get; }
    }

    /// <summary>Values that this version knows. A later service may send others.</summary>
    public static class RequestStatus
    {
        /// <summary>The player has not decided yet.</summary>
        public const string Pending = "pending";

        /// <summary>Approved: the payment is signed and stored, and cannot be revoked.</summary>
        public const string Approved = "approved";

        /// <summary>Approved, and its transaction was sent to the chain.</summary>
        public const string Submitted = "submitted";

        /// <summary>The chain has paid.</summary>
        public const string Completed = "completed";

        /// <summary>Approved, and then cancelled on the chain. The request was not paid.</summary>
        public const string Failed = "failed";

        /// <summary>The player declined, and nothing was paid.</summary>
        public const string Declined = "declined";

        /// <summary>Nobody decided in time, and nothing was paid.</summary>
        public const string Expired = "expired";

        /// <summary>The app withdrew the request, and nothing was paid.</summary>
        public const string Cancelled = "cancelled";
    }

    /// <summary>Values that this version knows. A later service may send others.</summary>
    public static class AppEventType
    {
        /// <summary>The player approved: the payment is signed and stored, and cannot be revoked.</summary>
        public const string RequestApproved = "request.approved";

        /// <summary>The player declined, and nothing was paid.</summary>
        public const string RequestDeclined = "request.declined";

        /// <summary>Nobody decided in time, and nothing was paid.</summary>
        public const string RequestExpired = "request.expired";

        /// <summary>The app withdrew the request, and nothing was paid.</summary>
        public const string RequestCancelled = "request.cancelled";

        /// <summary>The chain has paid your app.</summary>
        public const string RequestCompleted = "request.completed";

        /// <summary>A reorganisation took the payment back. It is sent again, and completed once more.</summary>
        public const string RequestReorged = "request.reorged";

        /// <summary>The payment was cancelled on the chain, and nothing was paid.</summary>
        public const string RequestFailed = "request.failed";

        /// <summary>The chain has paid a transfer or refund of your app.</summary>
        public const string TransferCompleted = "transfer.completed";

        /// <summary>A reorganisation took a transfer back. It is sent again, and completed once more.</summary>
        public const string TransferReorged = "transfer.reorged";

        /// <summary>A transfer was cancelled on the chain, and nothing was paid.</summary>
        public const string TransferFailed = "transfer.failed";

        /// <summary>A guest of your app is a full user now, with the same id and account.</summary>
        public const string GuestConverted = "guest.converted";

        /// <summary>A guest's player has an account. The quarters move there, and the guest is closed.</summary>
        public const string GuestMerged = "guest.merged";
    }

    /// <summary>Values that this version knows. A later service may send others.</summary>
    public static class EndpointDisabledReason
    {
        /// <summary>Its owner disabled it.</summary>
        public const string Owner = "owner";

        /// <summary>It answered 410.</summary>
        public const string Gone = "gone";

        /// <summary>It failed for three days.</summary>
        public const string Failing = "failing";
    }

    /// <summary>Values that this version knows. A later service may send others.</summary>
    public static class TransferStatus
    {
        /// <summary>Signed and stored, and cannot be revoked.</summary>
        public const string Approved = "approved";

        /// <summary>Its transaction was sent to the chain.</summary>
        public const string Submitted = "submitted";

        /// <summary>The chain has paid.</summary>
        public const string Completed = "completed";

        /// <summary>It was cancelled on the chain, and nothing was paid.</summary>
        public const string Failed = "failed";
    }
}
