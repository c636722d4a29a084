using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Quarters
{
    /// <summary>
    /// Reads fields of answers. Throws <see cref="FormatException"/> if one is missing or of another kind: then the answer is not the service's.
    /// </summary>
    internal static class Json
    {
        /// <summary>Null if the text is not JSON. Times stay text, and numbers stay exact.</summary>
        internal static JToken Parse(string text)
        {
            try
            {
                using (var reader = new JsonTextReader(new StringReader(text)))
                {
                    reader.DateParseHandling = DateParseHandling.None;
                    reader.FloatParseHandling = FloatParseHandling.Decimal;
                    var value = JToken.ReadFrom(reader);
                    return reader.Read() ? null : value;
                }
            }
            catch (JsonException)
            {
                return null;
            }
        }

        internal static string Text(JObject json, string name)
        {
            return (string)Field(json, name, JTokenType.String);
        }

        internal static string TextOrNull(JObject json, string name)
        {
            return IsAbsent(json, name) ? null : Text(json, name);
        }

        internal static long Number(JObject json, string name)
        {
            return (long)Field(json, name, JTokenType.Integer);
        }

        internal static long? NumberOrNull(JObject json, string name)
        {
            return IsAbsent(json, name) ? (long?)null : Number(json, name);
        }

        /// <summary>A whole number of quarters that is written as text.</summary>
        internal static long NumberInText(JObject json, string name)
        {
            return long.Parse(Text(json, name), NumberStyles.None, CultureInfo.InvariantCulture);
        }

        internal static bool Bool(JObject json, string name)
        {
            return (bool)Field(json, name, JTokenType.Boolean);
        }

        internal static bool? BoolOrNull(JObject json, string name)
        {
            return IsAbsent(json, name) ? (bool?)null : Bool(json, name);
        }

        /// <summary>False if the field is absent.</summary>
        internal static bool Flag(JObject json, string name)
        {
            return BoolOrNull(json, name) == true;
        }

        internal static DateTimeOffset Time(JObject json, string name)
        {
            return DateTimeOffset.Parse(Text(json, name), CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal);
        }

        internal static DateTimeOffset? TimeOrNull(JObject json, string name)
        {
            return IsAbsent(json, name) ? (DateTimeOffset?)null : Time(json, name);
        }

        /// <summary>A time that the API writes as seconds and nanoseconds.</summary>
        internal static DateTimeOffset Moment(JObject json, string name)
        {
            var moment = (JObject)Field(json, name, JTokenType.Object);
            var ticks = Number(moment, "nanoseconds") / 100;
            return DateTimeOffset.FromUnixTimeSeconds(Number(moment, "seconds")).AddTicks(ticks);
        }

        internal static DateTimeOffset? MomentOrNull(JObject json, string name)
        {
            return IsAbsent(json, name) ? (DateTimeOffset?)null : Moment(json, name);
        }

        internal static T Object<T>(JObject json, string name, Func<JObject, T> read)
        {
            return read((JObject)Field(json, name, JTokenType.Object));
        }

        internal static T ObjectOrNull<T>(JObject json, string name, Func<JObject, T> read) where T : class
        {
            return IsAbsent(json, name) ? null : Object(json, name, read);
        }

        internal static IReadOnlyList<T> List<T>(JObject json, string name, Func<JObject, T> read)
        {
            return ListOf(Field(json, name, JTokenType.Array), read);
        }

        internal static IReadOnlyList<T> ListOrNull<T>(JObject json, string name, Func<JObject, T> read)
        {
            return IsAbsent(json, name) ? null : List(json, name, read);
        }

        internal static IReadOnlyList<string> Texts(JObject json, string name)
        {
            var texts = new List<string>();
            foreach (var item in Field(json, name, JTokenType.Array)) texts.Add((string)item);
            return texts;
        }

        internal static IReadOnlyList<string> TextsOrNull(JObject json, string name)
        {
            return IsAbsent(json, name) ? null : Texts(json, name);
        }

        internal static IReadOnlyList<T> ListOf<T>(JToken array, Func<JObject, T> read)
        {
            if (array.Type != JTokenType.Array) throw new FormatException("An array was expected.");
            var items = new List<T>();
            foreach (var item in array) items.Add(read(ObjectIn(item)));
            return items;
        }

        /// <summary>The API answers some calls with an array of one.</summary>
        internal static T OnlyOf<T>(JToken array, Func<JObject, T> read)
        {
            var items = ListOf(array, read);
            if (items.Count == 0) throw new FormatException("The array is empty.");
            return items[0];
        }

        internal static JObject ObjectIn(JToken value)
        {
            var json = value as JObject;
            if (json == null) throw new FormatException("An object was expected.");
            return json;
        }

        internal static JArray ArrayOf(IEnumerable<string> texts)
        {
            var array = new JArray();
            foreach (var text in texts) array.Add(text);
            return array;
        }

        internal static JArray ArrayOf(IEnumerable<NewTransferLine> lines)
        {
            var array = new JArray();
            foreach (var line in lines) array.Add(line.ToJson());
            return array;
        }

        private static bool IsAbsent(JObject json, string name)
        {
            var value = json[name];
            return value == null || value.Type == JTokenType.Null;
        }

        private static JToken Field(JObject json, string name, JTokenType type)
        {
            var value = json[name];
            if (value == null || value.Type != type) throw new FormatException("The field " + name + " is missing, or of another type.");
            return value;
        }
    }
}
