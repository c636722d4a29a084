using System;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;

namespace Quarters.Server
{
    /// <summary>Checks that an event at your endpoint came from the service (Standard Webhooks).</summary>
    public static class Webhooks
    {
        /// <summary>How far a delivery's time may be from now, unless you say otherwise: five minutes.</summary>
        public static readonly TimeSpan DefaultTolerance = TimeSpan.FromMinutes(5);

        /// <summary>
        /// Checks the signature and the age of a delivery, and parses it. The event's id is the same for each redelivery: store it, so that
        /// you handle each event once.
        /// </summary>
        /// <param name="body">As it came, not parsed and written again.</param>
        /// <param name="header">Gives a header by its name, or null: <c>name => Request.Headers[name]</c>.</param>
        /// <param name="secrets">The endpoint's, <c>whsec_…</c>; both while it is being replaced.</param>
        /// <exception cref="VerificationException">It is not genuine: answer 400 and do nothing.</exception>
        public static AppEvent Verify(string body, Func<string, string> header, params string[] secrets)
        {
            return Verify(body, header, DefaultTolerance, secrets);
        }

        /// <summary>The same with a tolerance of your own.</summary>
        /// <param name="tolerance">How far the delivery's time may be from now.</param>
        public static AppEvent Verify(string body, Func<string, string> header, TimeSpan tolerance, params string[] secrets)
        {
            var id = header("webhook-id");
            var timestamp = header("webhook-timestamp");
            var signatures = header("webhook-signature");
            if (string.IsNullOrEmpty(id) || string.IsNullOrEmpty(timestamp) || string.IsNullOrEmpty(signatures))
                throw new VerificationException("This is not a webhook: its headers are missing.");
            long seconds;
            var now = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds() / 1000.0;
            if (!long.TryParse(timestamp, NumberStyles.None, CultureInfo.InvariantCulture, out seconds)
                || Math.Abs(now - seconds) > tolerance.TotalSeconds)
                throw new VerificationException("The webhook's time is too far from now.");
            var signed = Encoding.UTF8.GetBytes(id + "." + timestamp + "." + body);
            foreach (var secret in secrets)
            {
                if (IsSigned(signed, signatures, secret)) return EventIn(body, id);
            }
            throw new VerificationException("The signature is not from this endpoint.");
        }

        private static bool IsSigned(byte[] signed, string signatures, string secret)
        {
            byte[] expected;
            using (var hmac = new HMACSHA256(Decoded(secret.StartsWith("whsec_", StringComparison.Ordinal) ? secret.Substring(6) : secret)))
                expected = hmac.ComputeHash(signed);
            foreach (var signature in signatures.Split(' '))
            {
                if (signature.StartsWith("v1,", StringComparison.Ordinal) && AreEqual(expected, Decoded(signature.Substring(3)))) return true;
            }
            return false;
        }

        /// <summary>Takes the same time wherever the first difference is.</summary>
        private static bool AreEqual(byte[] one, byte[] other)
        {
            var difference = one.Length ^ other.Length;
            for (var i = 0; i < one.Length && i < other.Length; i++) difference |= one[i] ^ other[i];
            return difference == 0;
        }

        private static byte[] Decoded(string base64)
        {
            try
            {
                return Convert.FromBase64String(base64);
            }
            catch (FormatException)
            {
                throw new VerificationException("A secret or a signature is not base64.");
            }
        }

        private static AppEvent EventIn(string body, string id)
        {
            try
            {
                var json = Json.ObjectIn(Json.Parse(body));
                json["id"] = id;
                return new AppEvent(json);
            }
            catch (FormatException)
            {
                throw new VerificationException("The body is no event.");
            }
        }
    }
}
