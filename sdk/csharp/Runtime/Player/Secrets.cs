using System;
using System.Security.Cryptography;
using System.Text;

namespace Quarters
{
    internal static class Secrets
    {
        internal static string Random()
        {
            var bytes = new byte[32];
            using (var generator = RandomNumberGenerator.Create()) generator.GetBytes(bytes);
            return ToBase64Url(bytes);
        }

        /// <summary>BASE64URL(SHA-256(verifier)) (RFC 7636, section 4.2).</summary>
        internal static string ChallengeOf(string codeVerifier)
        {
            using (var sha = SHA256.Create()) return ToBase64Url(sha.ComputeHash(Encoding.ASCII.GetBytes(codeVerifier)));
        }

        private static string ToBase64Url(byte[] bytes)
        {
            return Convert.ToBase64String(bytes).Replace('+', '-').Replace('/', '_').TrimEnd('=');
        }
    }
}
