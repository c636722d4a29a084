using System;
using System.Collections.Generic;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Quarters
{
    internal sealed class Call
    {
        internal string Method = "GET";

        /// <summary>From the origin.</summary>
        internal string Path;

        /// <summary>Values that are null are left out.</summary>
        internal IReadOnlyDictionary<string, string> Query;

        internal string Bearer;

        /// <summary>JSON, the same text at each try. Null if there is none.</summary>
        internal string Body;

        /// <summary>The service treats calls with the same key as one call, so that they can be repeated.</summary>
        internal string IdempotencyKey;

        /// <summary>Seconds to wait for the chain before the answer (RFC 7240).</summary>
        internal int? WaitSeconds;

        /// <summary>Whether a retry is safe. By default: calls with a key, and calls that only read.</summary>
        internal bool? IsRepeatable;

        /// <summary>Time after the first try in which a retry may start. Null: no limit.</summary>
        internal TimeSpan? RepeatableFor;

        /// <summary>Whether an earlier try with an unknown outcome may have succeeded.</summary>
        internal bool IsUnsure;

        internal bool IsOAuth
        {
            get { return Path.StartsWith("/v1/oauth/", StringComparison.Ordinal); }
        }

        internal Call As(string bearer)
        {
            var call = (Call)MemberwiseClone();
            call.Bearer = HeaderValue.Credential(bearer);
            return call;
        }

        internal static Call Get(string path, IReadOnlyDictionary<string, string> query = null)
        {
            return new Call { Path = path, Query = query };
        }

        /// <summary>A deed: a call that changes something, and is done once for each key.</summary>
        /// <param name="key">Null for a new one.</param>
        /// <exception cref="ArgumentException">The key cannot be sent.</exception>
        internal static Call Deed(string path, JObject body, string key, int? waitSeconds = null)
        {
            return new Call
            {
                Method = "POST",
                Path = path,
                Body = body == null ? null : body.ToString(Formatting.None),
                IdempotencyKey = key == null ? Guid.NewGuid().ToString() : HeaderValue.Key(key),
                WaitSeconds = waitSeconds,
            };
        }

        /// <summary>Encodes one segment of a path.</summary>
        internal static string Segment(string value, string name)
        {
            // An empty segment or dots would name another call.
            if (string.IsNullOrEmpty(value) || value == "." || value == "..") throw new ArgumentException("It names nothing.", name);
            return Uri.EscapeDataString(value);
        }
    }
}
