// Opens our pages over a Unity game in the browser, by /quarters.js of the service (BrowserPages.cs). The answer goes back as the query that
// a redirect would carry: empty if the player closed the page.
mergeInto(LibraryManager.library, {
  QuartersOpenPage: function (script, method, options, id, receiver) {
    script = UTF8ToString(script);
    method = UTF8ToString(method);
    options = JSON.parse(UTF8ToString(options));
    id = UTF8ToString(id);
    receiver = UTF8ToString(receiver);

    function answer(fields) {
      var query = new URLSearchParams();
      Object.keys(fields).forEach(function (name) {
        if (fields[name] !== undefined) query.set(name, fields[name]);
      });
      SendMessage(receiver, 'OnQuartersAnswer', id + ' ' + query.toString());
    }

    function refused(error) {
      if (error.code === 'closed' && error.reason === undefined) return answer({});
      if (error.code === 'declined') return answer({ cancel: 'true' });
      answer({ error: error.message, reason: error.reason || error.code || 'unavailable' });
    }

    function open() {
      window.Quarters[method](options).then(answer, refused);
    }

    if (window.Quarters) return open();
    var tag = document.createElement('script');
    tag.src = script;
    tag.onload = open;
    tag.onerror = function () {
      refused(new Error('The script of the payment page did not load.'));
    };
    document.head.appendChild(tag);
  },
});
