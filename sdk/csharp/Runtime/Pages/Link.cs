using System;
using System.Collections.Generic;
using System.Text;

namespace Quarters
{
    /// <summary>Queries of addresses, written and read.</summary>
    internal static class Link
    {
        /// <summary>Null values are left out.</summary>
        internal static string With(string address, params string[] namesAndValues)
        {
            var link = new StringBuilder(address);
            var separator = address.IndexOf('?') < 0 ? '?' : '&';
            for (var i = 0; i < namesAndValues.Length; i += 2)
            {
                if (namesAndValues[i + 1] == null) continue;
                link.Append(separator).Append(namesAndValues[i]).Append('=').Append(Uri.EscapeDataString(namesAndValues[i + 1]));
                separator = '&';
            }
            return link.ToString();
        }

        /// <summary>Empty if there is no query. The first of equal names counts.</summary>
        internal static IReadOnlyDictionary<string, string> QueryOf(string link)
        {
            var query = new Dictionary<string, string>();
            var begin = link == null ? -1 : link.IndexOf('?');
            if (begin < 0) return query;
            var end = link.IndexOf('#', begin);
            var text = end < 0 ? link.Substring(begin + 1) : link.Substring(begin + 1, end - begin - 1);
            foreach (var part in text.Split('&'))
            {
                var middle = part.IndexOf('=');
                var name = Decoded(middle < 0 ? part : part.Substring(0, middle));
                if (name != "" && !query.ContainsKey(name)) query[name] = middle < 0 ? "" : Decoded(part.Substring(middle + 1));
            }
            return query;
        }

        private static string Decoded(string text)
        {
            return Uri.UnescapeDataString(text.Replace('+', ' '));
        }
    }
}
