using System;

namespace Quarters
{
    /// <summary>
    /// What may be sent as the value of a header (RFC 9110, section 5.5): visible ASCII, and spaces in between. Transports leave anything else
    /// out, send a part of it, or translate it, each in its own way, and then two calls with one key are two.
    /// </summary>
    internal static class HeaderValue
    {
        private const int LongestKey = 255;

        internal static bool IsKey(string key)
        {
            return IsVisible(key) && key.Length <= LongestKey;
        }

        /// <summary>The key, if it can be sent.</summary>
        /// <exception cref="ArgumentException">The service would not get this key as it is.</exception>
        internal static string Key(string key)
        {
            if (IsKey(key)) return key;
            throw new ArgumentException("An idempotency key has 1 to 255 visible ASCII characters, with spaces only in between.", "idempotencyKey");
        }

        /// <summary>The credential, if it can be sent.</summary>
        /// <exception cref="ArgumentException">The service would not get this credential as it is.</exception>
        internal static string Credential(string credential)
        {
            if (IsVisible(credential)) return credential;
            // It is a secret, so the message does not repeat it.
            throw new ArgumentException("A credential is visible ASCII. Look for a line break at its end.", "credential");
        }

        private static bool IsVisible(string value)
        {
            if (string.IsNullOrEmpty(value) || value[0] == ' ' || value[value.Length - 1] == ' ') return false;
            foreach (var character in value)
            {
                if (character < ' ' || character > '~') return false;
            }
            return true;
        }
    }
}
