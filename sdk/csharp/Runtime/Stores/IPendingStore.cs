using System;
using System.Collections.Generic;
using System.Globalization;
using System.Threading.Tasks;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Quarters
{
    /// <summary>
    /// Keeps deeds under way: each is written before it is sent, and removed once its outcome is known. So a game that was killed in
    /// between repeats the same deed with the same key, and nothing is paid twice. Use one store for each player, or each server.
    /// </summary>
    public interface IPendingStore
    {
        /// <summary>Writes a deed, over an earlier one with the same <see cref="PendingDeed.Id"/>. It must be safe when the task ends.</summary>
        Task SaveAsync(PendingDeed deed);

        /// <summary>Removes a deed. Does nothing if it is not there.</summary>
        Task RemoveAsync(PendingDeed deed);

        /// <summary>Null if it is not there.</summary>
        Task<PendingDeed> FindAsync(string id);

        /// <summary>In any order.</summary>
        Task<IReadOnlyList<PendingDeed>> ListAsync();
    }

    /// <summary>A call that changes something, as it was or will be sent. It holds no credential.</summary>
    public sealed class PendingDeed
    {
        /// <summary>The service keeps a key for 24 hours. Later the same key would do the deed once more.</summary>
        private static readonly TimeSpan KeyIsKept = TimeSpan.FromHours(23);

        internal PendingDeed(Call call)
        {
            Path = call.Path;
            IdempotencyKey = call.IdempotencyKey;
            Body = call.Body;
            Begun = DateTimeOffset.UtcNow;
        }

        private PendingDeed(JObject json)
        {
            Path = Json.Text(json, "path");
            IdempotencyKey = Json.Text(json, "key");
            Body = Json.TextOrNull(json, "body");
            Begun = Json.Time(json, "begun");
            RequestId = Json.TextOrNull(json, "requestId");
        }

        /// <summary>Names the deed: a key counts for one path.</summary>
        public string Id
        {
            get { return Path + " " + IdempotencyKey; }
        }

        /// <summary>The path of the call, from the origin: <c>/v1/requests</c>.</summary>
        public string Path { get; }

        /// <summary>The key that the deed was sent with.</summary>
        public string IdempotencyKey { get; }

        /// <summary>JSON. Null if there is none.</summary>
        public string Body { get; }

        /// <summary>When the deed was written down, by the clock of this device.</summary>
        public DateTimeOffset Begun { get; }

        /// <summary>For a payment: the request, once the service has answered. Null before, and for other deeds.</summary>
        public string RequestId { get; internal set; }

        internal bool CanBeRepeated
        {
            get { return DateTimeOffset.UtcNow - Begun < KeyIsKept; }
        }

        /// <summary>Earlier versions of this library took any key.</summary>
        internal bool CanBeSent
        {
            get { return HeaderValue.IsKey(IdempotencyKey); }
        }

        internal Call ToCall()
        {
            return new Call { Method = "POST", Path = Path, Body = Body, IdempotencyKey = IdempotencyKey, IsUnsure = true };
        }

        /// <summary>For stores that keep text.</summary>
        public string ToText()
        {
            var json = new JObject
            {
                ["path"] = Path,
                ["key"] = IdempotencyKey,
                ["body"] = Body,
                ["begun"] = Begun.ToString("o", CultureInfo.InvariantCulture),
                ["requestId"] = RequestId,
            };
            return json.ToString(Formatting.None);
        }

        /// <summary>Reads what <see cref="ToText"/> wrote.</summary>
        /// <exception cref="FormatException">It is not what <see cref="ToText"/> wrote.</exception>
        public static PendingDeed Parse(string text)
        {
            var json = Json.Parse(text);
            if (json == null) throw new FormatException("This is no deed.");
            return new PendingDeed(Json.ObjectIn(json));
        }
    }
}
