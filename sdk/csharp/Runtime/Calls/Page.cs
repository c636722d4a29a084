using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

namespace Quarters
{
    /// <summary>A page of a list. A page may be empty and still not be the last.</summary>
    /// <example><code>
    /// for (var page = await server.RequestsAsync(); page != null; page = await page.NextAsync())
    ///     foreach (var request in page.Items) Look(request);
    /// </code></example>
    public sealed class Page<T>
    {
        private readonly Func<string, CancellationToken, Task<Page<T>>> readAt;

        internal Page(JObject json, Func<JObject, T> item, Func<string, CancellationToken, Task<Page<T>>> readAt)
        {
            Items = Json.List(json, "data", item);
            Cursor = Json.TextOrNull(json, "next");
            this.readAt = readAt;
        }

        /// <summary>The items of this page, in the order of the list.</summary>
        public IReadOnlyList<T> Items { get; }

        /// <summary>Leads to the next page, also later. Null on the last page.</summary>
        public string Cursor { get; }

        /// <summary>Reads the next page. Null after the last one.</summary>
        public Task<Page<T>> NextAsync(CancellationToken cancel = default(CancellationToken))
        {
            return Cursor == null ? Task.FromResult<Page<T>>(null) : readAt(Cursor, cancel);
        }

        /// <summary>Reads the first page of a list.</summary>
        /// <param name="filter">Parameters of the list. Null ones are left out.</param>
        internal static Task<Page<T>> ReadAsync(
            Func<Call, Func<JToken, Page<T>>, CancellationToken, Task<Page<T>>> call,
            string path,
            Dictionary<string, string> filter,
            Func<JObject, T> item,
            CancellationToken cancel)
        {
            Func<string, CancellationToken, Task<Page<T>>> next = (cursor, token) =>
                ReadAsync(call, path, new Dictionary<string, string>(filter) { ["cursor"] = cursor }, item, token);
            return call(Call.Get(path, filter), json => new Page<T>(Json.ObjectIn(json), item, next), cancel);
        }
    }
}
