using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Quarters.Testing
{
    /// <summary>Reads and writes JSON without reflection, which Unity's stripping of unused code breaks.</summary>
    internal static class Json
    {
        internal static JObject Read(string text)
        {
            // Times stay text, as they came.
            using (var reader = new JsonTextReader(new StringReader(text)) { DateParseHandling = DateParseHandling.None })
                return JObject.Load(reader);
        }

        internal static void Add(JObject json, string name, JToken value)
        {
            // What is null here is left out of a call.
            var single = value as JValue;
            if (value != null && (single == null || single.Value != null)) json[name] = value;
        }

        internal static void Add(JObject json, string name, IReadOnlyList<string> values)
        {
            if (values != null) json[name] = new JArray(values.Select(value => new JValue(value)));
        }

        internal static IReadOnlyList<string> Texts(JToken array)
        {
            return array == null ? null : array.Select(item => (string)item).ToArray();
        }

        internal static DateTimeOffset Time(JToken text)
        {
            return DateTimeOffset.Parse((string)text, CultureInfo.InvariantCulture);
        }

        internal static DateTimeOffset? TimeOrNull(JToken text)
        {
            return text == null || text.Type == JTokenType.Null ? (DateTimeOffset?)null : Time(text);
        }
    }
}
