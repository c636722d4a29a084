// Written by scripts/write-emulator-api.ts from the controls of the emulator: run npm run generate.
using System;
using System.Collections.Generic;
using Newtonsoft.Json.Linq;

namespace Quarters.Testing
{
    /// <summary>What <c>readState</c> answers.</summary>
    public class ReadStateResult
    {
        /// <summary>The origin of the service.</summary>
        public string Url { get; }

        /// <summary>The field <c>now</c>.</summary>
        public DateTimeOffset Now { get; }

        /// <summary>The field <c>frozen</c>.</summary>
        public bool Frozen { get; }

        /// <summary>The field <c>block</c>.</summary>
        public long Block { get; }

        /// <summary>Whether the service reaches its node.</summary>
        public bool Reachable { get; }

        /// <summary>The field <c>blocks</c>.</summary>
        public JToken Blocks { get; }

        /// <summary>The field <c>snapshots</c>.</summary>
        public IReadOnlyList<string> Snapshots { get; }

        internal ReadStateResult(JObject json)
        {
            Url = (string)json["url"];
            Now = Json.Time(json["now"]);
            Frozen = (bool)json["frozen"];
            Block = (long)json["block"];
            Reachable = (bool)json["reachable"];
            Blocks = json["blocks"];
            Snapshots = Json.Texts(json["snapshots"]);
        }
    }

    /// <summary>What <c>reset</c> takes.</summary>
    public class ResetInput
    {
        /// <summary>The field <c>to</c>.</summary>
        public string To { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "to", To);
            return json;
        }
    }

    /// <summary>What <c>takeSnapshot</c> takes.</summary>
    public class TakeSnapshotInput
    {
        /// <summary>The field <c>name</c>.</summary>
        public string Name { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "name", Name);
            return json;
        }
    }

    /// <summary>What <c>readHappened</c> answers.</summary>
    public class ReadHappenedResult
    {
        /// <summary>The field <c>calls</c>.</summary>
        public JToken Calls { get; }

        /// <summary>The field <c>requests</c>.</summary>
        public JToken Requests { get; }

        /// <summary>The field <c>events</c>.</summary>
        public JToken Events { get; }

        /// <summary>The field <c>blocks</c>.</summary>
        public JToken Blocks { get; }

        internal ReadHappenedResult(JObject json)
        {
            Calls = json["calls"];
            Requests = json["requests"];
            Events = json["events"];
            Blocks = json["blocks"];
        }
    }

    /// <summary>What <c>setTime</c> takes.</summary>
    public class SetTimeInput
    {
        /// <summary>The field <c>to</c>.</summary>
        public string To { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "to", To);
            return json;
        }
    }

    /// <summary>What <c>setTime</c> answers.</summary>
    public class SetTimeResult
    {
        /// <summary>The field <c>now</c>.</summary>
        public DateTimeOffset Now { get; }

        /// <summary>The field <c>frozen</c>.</summary>
        public bool Frozen { get; }

        /// <summary>At how many moments on the way, the last one included, what was due was done.</summary>
        public long Stops { get; }

        internal SetTimeResult(JObject json)
        {
            Now = Json.Time(json["now"]);
            Frozen = (bool)json["frozen"];
            Stops = (long)json["stops"];
        }
    }

    /// <summary>What <c>advanceTime</c> takes.</summary>
    public class AdvanceTimeInput
    {
        /// <summary>The field <c>by</c>.</summary>
        public JToken By { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "by", By);
            return json;
        }
    }

    /// <summary>What <c>advanceTime</c> answers.</summary>
    public class AdvanceTimeResult
    {
        /// <summary>The field <c>now</c>.</summary>
        public DateTimeOffset Now { get; }

        /// <summary>The field <c>frozen</c>.</summary>
        public bool Frozen { get; }

        /// <summary>At how many moments on the way, the last one included, what was due was done.</summary>
        public long Stops { get; }

        internal AdvanceTimeResult(JObject json)
        {
            Now = Json.Time(json["now"]);
            Frozen = (bool)json["frozen"];
            Stops = (long)json["stops"];
        }
    }

    /// <summary>What <c>freezeTime</c> answers.</summary>
    public class FreezeTimeResult
    {
        /// <summary>The field <c>now</c>.</summary>
        public DateTimeOffset Now { get; }

        /// <summary>The field <c>frozen</c>.</summary>
        public bool Frozen { get; }

        internal FreezeTimeResult(JObject json)
        {
            Now = Json.Time(json["now"]);
            Frozen = (bool)json["frozen"];
        }
    }

    /// <summary>What <c>letTimeGoOn</c> answers.</summary>
    public class LetTimeGoOnResult
    {
        /// <summary>The field <c>now</c>.</summary>
        public DateTimeOffset Now { get; }

        /// <summary>The field <c>frozen</c>.</summary>
        public bool Frozen { get; }

        internal LetTimeGoOnResult(JObject json)
        {
            Now = Json.Time(json["now"]);
            Frozen = (bool)json["frozen"];
        }
    }

    /// <summary>What <c>createApp</c> takes.</summary>
    public class CreateAppInput
    {
        /// <summary>The field <c>name</c>.</summary>
        public string Name { get; set; }

        /// <summary>The field <c>quarters</c>.</summary>
        public long? Quarters { get; set; }

        /// <summary>The address of the game's server that takes events.</summary>
        public string Webhook { get; set; }

        /// <summary>The field <c>redirectUris</c>.</summary>
        public IReadOnlyList<string> RedirectUris { get; set; }

        /// <summary>The field <c>frameAncestors</c>.</summary>
        public IReadOnlyList<string> FrameAncestors { get; set; }

        /// <summary>The field <c>resultOrigins</c>.</summary>
        public IReadOnlyList<string> ResultOrigins { get; set; }

        /// <summary>The field <c>publicClient</c>.</summary>
        public bool? PublicClient { get; set; }

        /// <summary>The field <c>autoApprove</c>.</summary>
        public bool? AutoApprove { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "name", Name);
            Json.Add(json, "quarters", Quarters);
            Json.Add(json, "webhook", Webhook);
            Json.Add(json, "redirectUris", RedirectUris);
            Json.Add(json, "frameAncestors", FrameAncestors);
            Json.Add(json, "resultOrigins", ResultOrigins);
            Json.Add(json, "publicClient", PublicClient);
            Json.Add(json, "autoApprove", AutoApprove);
            return json;
        }
    }

    /// <summary>What <c>createApp</c> answers.</summary>
    public class CreateAppResult
    {
        /// <summary>The field <c>id</c>.</summary>
        public string Id { get; }

        /// <summary>The field <c>address</c>.</summary>
        public string Address { get; }

        /// <summary>The field <c>serverKey</c>.</summary>
        public string ServerKey { get; }

        /// <summary>The field <c>clientSecret</c>.</summary>
        public string ClientSecret { get; }

        /// <summary>Null without a webhook.</summary>
        public string WebhookSecret { get; }

        internal CreateAppResult(JObject json)
        {
            Id = (string)json["id"];
            Address = (string)json["address"];
            ServerKey = (string)json["serverKey"];
            ClientSecret = (string)json["clientSecret"];
            WebhookSecret = (string)json["webhookSecret"];
        }
    }

    /// <summary>What <c>createPlayer</c> takes.</summary>
    public class CreatePlayerInput
    {
        /// <summary>The field <c>app</c>.</summary>
        public string App { get; set; }

        /// <summary>The field <c>quarters</c>.</summary>
        public long? Quarters { get; set; }

        /// <summary>The field <c>guest</c>.</summary>
        public bool? Guest { get; set; }

        /// <summary>The field <c>email</c>.</summary>
        public string Email { get; set; }

        /// <summary>The field <c>displayName</c>.</summary>
        public string DisplayName { get; set; }

        /// <summary>Quarters a day that the app may take without asking.</summary>
        public long? Approves { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "app", App);
            Json.Add(json, "quarters", Quarters);
            Json.Add(json, "guest", Guest);
            Json.Add(json, "email", Email);
            Json.Add(json, "displayName", DisplayName);
            Json.Add(json, "approves", Approves);
            return json;
        }
    }

    /// <summary>What <c>createPlayer</c> answers.</summary>
    public class CreatePlayerResult
    {
        /// <summary>The field <c>id</c>.</summary>
        public string Id { get; }

        /// <summary>The field <c>kind</c>.</summary>
        public string Kind { get; }

        /// <summary>The field <c>address</c>.</summary>
        public string Address { get; }

        /// <summary>The field <c>accessToken</c>.</summary>
        public string AccessToken { get; }

        /// <summary>A full user's.</summary>
        public string RefreshToken { get; }

        /// <summary>A guest's firebase_token.</summary>
        public string PageToken { get; }

        /// <summary>With the password, what signs a full user in on the pages.</summary>
        public string Email { get; }

        /// <summary>The field <c>password</c>.</summary>
        public string Password { get; }

        internal CreatePlayerResult(JObject json)
        {
            Id = (string)json["id"];
            Kind = (string)json["kind"];
            Address = (string)json["address"];
            AccessToken = (string)json["accessToken"];
            RefreshToken = (string)json["refreshToken"];
            PageToken = (string)json["pageToken"];
            Email = (string)json["email"];
            Password = (string)json["password"];
        }
    }

    /// <summary>What <c>approve</c> takes.</summary>
    public class ApproveInput
    {
        /// <summary>The field <c>request</c>.</summary>
        public string Request { get; set; }

        /// <summary>The field <c>askEveryTime</c>.</summary>
        public bool? AskEveryTime { get; set; }

        /// <summary>Quarters a day that the app may take without asking.</summary>
        public long? Limit { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "request", Request);
            Json.Add(json, "askEveryTime", AskEveryTime);
            Json.Add(json, "limit", Limit);
            return json;
        }
    }

    /// <summary>What <c>approve</c> answers.</summary>
    public class ApproveResult
    {
        /// <summary>The field <c>outcome</c>.</summary>
        public string Outcome { get; }

        /// <summary>The field <c>requestId</c>.</summary>
        public string RequestId { get; }

        /// <summary>The field <c>txId</c>.</summary>
        public string TxId { get; }

        internal ApproveResult(JObject json)
        {
            Outcome = (string)json["outcome"];
            RequestId = (string)json["requestId"];
            TxId = (string)json["txId"];
        }
    }

    /// <summary>What <c>decline</c> takes.</summary>
    public class DeclineInput
    {
        /// <summary>The field <c>request</c>.</summary>
        public string Request { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "request", Request);
            return json;
        }
    }

    /// <summary>What <c>decline</c> answers.</summary>
    public class DeclineResult
    {
        /// <summary>The field <c>outcome</c>.</summary>
        public string Outcome { get; }

        /// <summary>The field <c>requestId</c>.</summary>
        public string RequestId { get; }

        /// <summary>The field <c>txId</c>.</summary>
        public string TxId { get; }

        internal DeclineResult(JObject json)
        {
            Outcome = (string)json["outcome"];
            RequestId = (string)json["requestId"];
            TxId = (string)json["txId"];
        }
    }

    /// <summary>What <c>reportProblem</c> takes.</summary>
    public class ReportProblemInput
    {
        /// <summary>The field <c>request</c>.</summary>
        public string Request { get; set; }

        /// <summary>The field <c>reason</c>.</summary>
        public string Reason { get; set; }

        /// <summary>The field <c>text</c>.</summary>
        public string Text { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "request", Request);
            Json.Add(json, "reason", Reason);
            Json.Add(json, "text", Text);
            return json;
        }
    }

    /// <summary>What <c>signUp</c> takes.</summary>
    public class SignUpInput
    {
        /// <summary>The field <c>email</c>.</summary>
        public string Email { get; set; }

        /// <summary>The field <c>displayName</c>.</summary>
        public string DisplayName { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "email", Email);
            Json.Add(json, "displayName", DisplayName);
            return json;
        }
    }

    /// <summary>What <c>signUp</c> answers.</summary>
    public class SignUpResult
    {
        /// <summary>The field <c>id</c>.</summary>
        public string Id { get; }

        /// <summary>The field <c>kind</c>.</summary>
        public string Kind { get; }

        /// <summary>The field <c>address</c>.</summary>
        public string Address { get; }

        /// <summary>The field <c>accessToken</c>.</summary>
        public string AccessToken { get; }

        /// <summary>A full user's.</summary>
        public string RefreshToken { get; }

        /// <summary>A guest's firebase_token.</summary>
        public string PageToken { get; }

        /// <summary>With the password, what signs a full user in on the pages.</summary>
        public string Email { get; }

        /// <summary>The field <c>password</c>.</summary>
        public string Password { get; }

        internal SignUpResult(JObject json)
        {
            Id = (string)json["id"];
            Kind = (string)json["kind"];
            Address = (string)json["address"];
            AccessToken = (string)json["accessToken"];
            RefreshToken = (string)json["refreshToken"];
            PageToken = (string)json["pageToken"];
            Email = (string)json["email"];
            Password = (string)json["password"];
        }
    }

    /// <summary>What <c>withdraw</c> takes.</summary>
    public class WithdrawInput
    {
        /// <summary>The field <c>to</c>.</summary>
        public string To { get; set; }

        /// <summary>The field <c>amount</c>.</summary>
        public long Amount { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "to", To);
            Json.Add(json, "amount", Amount);
            return json;
        }
    }

    /// <summary>What <c>withdraw</c> answers.</summary>
    public class WithdrawResult
    {
        /// <summary>The field <c>transferId</c>.</summary>
        public string TransferId { get; }

        /// <summary>The field <c>txId</c>.</summary>
        public string TxId { get; }

        internal WithdrawResult(JObject json)
        {
            TransferId = (string)json["transferId"];
            TxId = (string)json["txId"];
        }
    }

    /// <summary>What <c>setBlocks</c> takes.</summary>
    public class SetBlocksInput
    {
        /// <summary>The field <c>mode</c>.</summary>
        public JToken Mode { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "mode", Mode);
            return json;
        }
    }

    /// <summary>What <c>mine</c> takes.</summary>
    public class MineInput
    {
        /// <summary>The field <c>blocks</c>.</summary>
        public long? Blocks { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "blocks", Blocks);
            return json;
        }
    }

    /// <summary>What <c>reorganize</c> takes.</summary>
    public class ReorganizeInput
    {
        /// <summary>The field <c>depth</c>.</summary>
        public long Depth { get; set; }

        /// <summary>txIds.</summary>
        public IReadOnlyList<string> Without { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "depth", Depth);
            Json.Add(json, "without", Without);
            return json;
        }
    }

    /// <summary>What <c>setFees</c> takes.</summary>
    public class SetFeesInput
    {
        /// <summary>The field <c>gwei</c>.</summary>
        public double? Gwei { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "gwei", Gwei);
            return json;
        }
    }

    /// <summary>What <c>armOutcome</c> takes.</summary>
    public class ArmOutcomeInput
    {
        /// <summary>An operationId of the service's API.</summary>
        public string Operation { get; set; }

        /// <summary>The id of the app that calls. Left out: any.</summary>
        public string App { get; set; }

        /// <summary>Quarters that the call names. Left out: any.</summary>
        public long? Amount { get; set; }

        /// <summary>For how many calls. 1 if it is left out.</summary>
        public long? Times { get; set; }

        /// <summary>The field <c>outcome</c>.</summary>
        public JToken Outcome { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "operation", Operation);
            Json.Add(json, "app", App);
            Json.Add(json, "amount", Amount);
            Json.Add(json, "times", Times);
            Json.Add(json, "outcome", Outcome);
            return json;
        }
    }

    /// <summary>What <c>listOutcomes</c> answers.</summary>
    public class ListOutcomesResult
    {
        /// <summary>The field <c>outcomes</c>.</summary>
        public JToken Outcomes { get; }

        internal ListOutcomesResult(JObject json)
        {
            Outcomes = json["outcomes"];
        }
    }

    /// <summary>What <c>holdWebhooks</c> takes.</summary>
    public class HoldWebhooksInput
    {
        /// <summary>Whose events. Left out: those of all apps.</summary>
        public string App { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "app", App);
            return json;
        }
    }

    /// <summary>What <c>releaseWebhooks</c> takes.</summary>
    public class ReleaseWebhooksInput
    {
        /// <summary>Whose events. Left out: those of all apps.</summary>
        public string App { get; set; }

        /// <summary>as-they-came if it is left out.</summary>
        public string Order { get; set; }

        /// <summary>Of shuffled: the same one gives the same order. A new one if it is left out.</summary>
        public long? Seed { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "app", App);
            Json.Add(json, "order", Order);
            Json.Add(json, "seed", Seed);
            return json;
        }
    }

    /// <summary>What <c>releaseWebhooks</c> answers.</summary>
    public class ReleaseWebhooksResult
    {
        /// <summary>The field <c>released</c>.</summary>
        public long Released { get; }

        /// <summary>The field <c>seed</c>.</summary>
        public long Seed { get; }

        internal ReleaseWebhooksResult(JObject json)
        {
            Released = (long)json["released"];
            Seed = (long)json["seed"];
        }
    }

    /// <summary>What <c>duplicateWebhooks</c> takes.</summary>
    public class DuplicateWebhooksInput
    {
        /// <summary>Whose events. Left out: those of all apps.</summary>
        public string App { get; set; }

        /// <summary>For how many deliveries.</summary>
        public long? Times { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "app", App);
            Json.Add(json, "times", Times);
            return json;
        }
    }

    /// <summary>What <c>delayWebhooks</c> takes.</summary>
    public class DelayWebhooksInput
    {
        /// <summary>Whose events. Left out: those of all apps.</summary>
        public string App { get; set; }

        /// <summary>For how many deliveries.</summary>
        public long? Times { get; set; }

        /// <summary>The field <c>by</c>.</summary>
        public JToken By { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "app", App);
            Json.Add(json, "times", Times);
            Json.Add(json, "by", By);
            return json;
        }
    }

    /// <summary>What <c>dropWebhooks</c> takes.</summary>
    public class DropWebhooksInput
    {
        /// <summary>Whose events. Left out: those of all apps.</summary>
        public string App { get; set; }

        /// <summary>For how many deliveries.</summary>
        public long? Times { get; set; }

        internal JObject ToJson()
        {
            var json = new JObject();
            Json.Add(json, "app", App);
            Json.Add(json, "times", Times);
            return json;
        }
    }

    /// <summary>What <c>readWebhooks</c> answers.</summary>
    public class ReadWebhooksResult
    {
        /// <summary>The field <c>held</c>.</summary>
        public IReadOnlyList<string> Held { get; }

        /// <summary>The field <c>armed</c>.</summary>
        public JToken Armed { get; }

        internal ReadWebhooksResult(JObject json)
        {
            Held = Json.Texts(json["held"]);
            Armed = json["armed"];
        }
    }
}
