// Not yet read by anybody whose first language is German.
import { html } from 'hono/html';
import { type Count, formatsOf } from '../src/base/formats.ts';
import type { Words } from './en.ts';

const formats = formatsOf('de');
const { number, locale, plural } = formats;

const unit = (amount: Count) => plural(amount, { one: 'Quarter', other: 'Quarters' });
const quarters = (amount: Count) => `${number(amount)} ${unit(amount)}`;
/** Followed by how many. */
const youLack = (count: bigint) => plural(count, { one: 'Dir fehlt', other: 'Dir fehlen' });

const IN = {
  minute: { one: '# Minute', other: '# Minuten' },
  hour: { one: '# Stunde', other: '# Stunden' },
  day: { one: '# Tag', other: '# Tage' },
};
/** As in “in 30 Tagen”. */
const daysOn = (days: Count) => plural(days, { one: '# Tag', other: '# Tagen' });
const minutesLong = (minutes: Count) => plural(minutes, IN.minute);
const atMost = (characters: Count) => `Verwende höchstens ${number(characters)} Zeichen.`;

const shared = {
  expired: 'Diese Seite ist abgelaufen',
  broken: 'Bei uns ist etwas schiefgegangen',
  unknownGame: 'Dieses Spiel kennen wir nicht',
  linkIncomplete: 'Der Link ist unvollständig',
  linkTooLong: 'Der Link ist zu lang',
  openedIncorrectly: 'Das Spiel hat diese Seite falsch geöffnet',
  wrongAddress: {
    title: 'Das Spiel hat eine falsche Adresse genannt',
    text: 'Es wollte dich an eine Adresse schicken, die es nicht registriert hat. Deshalb haben wir abgebrochen.',
  },
  lookAgain: 'Öffne die Zahlung noch einmal im Spiel, um ihren Status zu sehen.',
  keptAccess: 'Spiele behalten den Zugriff, den du ihnen gegeben hast.',
  neverShare: 'Gib ihn nie weiter, auch nicht an uns.',
  approvePayment: 'Zahlung bestätigen',
  stopped: 'Diese Zahlung ist fehlgeschlagen',
  onItsWay: 'Unterwegs',
  confirmed: 'Angekommen',
  ownWindow: {
    opened: 'Mach in dem Fenster weiter, das wir geöffnet haben.',
    closed: 'Das Fenster wurde geschlossen. Du kannst es wieder öffnen.',
  },
};

const ROLES = { admin: 'Admin', developer: 'Entwickler', viewer: 'Betrachter' };

/** German, with the informal “du”. Its glossary: docs/inside/words/de.md. */
export const de: Words = {
  ...formats,
  language: 'de',
  name: 'Deutsch',
  direction: 'ltr',
  quotes: ['„', '“'],
  gap: ' ',
  unit,
  quarters,
  frame: {
    nav: 'Deine Seiten',
    account: 'Konto',
    developer: 'Entwickler',
    console: 'Konsole',
    docs: 'Doku',
    signOut: 'Abmelden',
    footer: (brand) => `Diese Seite gehört zu ${brand}, nicht zum Spiel.`,
    support: 'Hilfe',
    language: 'Sprache',
  },
  fields: {
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    newPassword: 'Neues Passwort',
    passwordRules: (least) =>
      `Verwende mindestens ${least} Zeichen. Vermeide deinen Namen, deine E-Mail-Adresse und häufige Passwörter. Gut sind ein paar Wörter, die nichts miteinander zu tun haben.`,
    copy: (what) => `${what} kopieren`,
    atMost,
    step: (step, of) => `Schritt ${step} von ${of}`,
  },
  messages: {
    notFound: {
      title: 'Seite nicht gefunden',
      text: 'Vielleicht ist der Link unvollständig oder veraltet, oder er gehört jemand anderem.',
    },
    expired: { title: shared.expired, text: 'Sie war zu lange offen. Bitte fang noch einmal an.' },
    foreignForm: {
      title: 'Das kam nicht von unserer Seite',
      text: 'Nichts wurde geändert. Wenn du das warst, öffne die Seite neu und versuch es dort noch einmal.',
    },
    frozen: { title: 'Dein Konto ist eingefroren', text: 'Solange es eingefroren ist, kannst du das nicht ändern.' },
    suspended: {
      title: 'Dieses Spiel ist gesperrt',
      text: 'Du kannst es gerade nicht bezahlen und ihm keinen Zugriff geben. Deine Quarters behältst du.',
    },
    role: { title: 'Deine Rolle erlaubt das nicht' },
    tooMany: { title: 'Zu viele Versuche', text: 'Bitte warte und versuch es dann noch einmal.' },
    tooManyInLine: (wait) => `Zu viele Versuche. ${wait}`,
    tooManyFiles: {
      title: 'Zu viele Downloads auf einmal',
      text: (most) =>
        `Du kannst ${most} Dateien gleichzeitig herunterladen. Warte, bis eine fertig ist, und versuch es dann noch einmal.`,
    },
    badForm: {
      title: 'Das konnten wir nicht lesen',
      text: 'Nichts wurde geändert. Geh zurück, prüf deine Eingaben und versuch es noch einmal.',
    },
    busy: { title: 'Bei uns ist gerade viel los', text: 'Bitte versuch es gleich noch einmal.' },
    unknown: {
      title: 'Wir wissen noch nicht, ob das geklappt hat',
      text: 'Bitte sieh gleich nach, bevor du es noch einmal versuchst.',
    },
    broken: { title: shared.broken, text: 'Wir haben den Fehler protokolliert. Bitte versuch es gleich noch einmal.' },
    foreignCall: 'Das kam nicht von unserer Seite. Nichts wurde geändert.',
    account: 'Zu deinem Konto',
    backToGame: (game) => html`Zurück zu ${game}`,
    canGoBack: (game) => html`Du kannst zu ${game} zurückgehen.`,
    answered: 'Du hast geantwortet. Mach im Spiel weiter.',
    continueInGame: 'Mach im Spiel weiter.',
  },
  reasons: {
    'email-missing': () => 'Gib deine E-Mail-Adresse ein.',
    'email-too-long': atMost,
    'email-malformed': () => 'Gib eine gültige E-Mail-Adresse ein.',
    'email-unchanged': () => 'Das ist schon deine Adresse.',
    'name-unusable': (most) => `Verwende 1 bis ${number(most)} sichtbare Zeichen.`,
    'password-too-short': (least) => `Verwende mindestens ${number(least)} Zeichen.`,
    'password-too-long': atMost,
    'password-own': () => 'Das ähnelt deinem Namen oder deiner E-Mail-Adresse zu sehr. Wähl etwas anderes.',
    'password-common': () =>
      'Dieses Passwort ist zu leicht zu erraten. Verwende ein paar Wörter, die nichts miteinander zu tun haben.',
    'password-wrong': () => 'Das ist nicht dein aktuelles Passwort.',
    'passkey-late': () => 'Das hat zu lange gedauert. Versuch es noch einmal.',
    'passkey-unverified': () => 'Wir konnten diesen Passkey nicht prüfen. Versuch es mit einem anderen.',
    'passkey-not-added': (most) => `Du hast ihn schon hinzugefügt, oder du hast bereits ${number(most)} Passkeys.`,
    'passkey-not-theirs': () =>
      'Mit diesem Passkey konnten wir nicht bestätigen, dass du es bist. Versuch es noch einmal.',
    'code-needed': () => 'Gib zuerst den Code ein, den wir dir per E-Mail schicken.',
    'passkey-young': () => 'Dieser Passkey ist noch zu neu, um eine Adresse zu bestätigen. Verwende einen älteren.',
    'passkey-needed': () => 'Du bist Betreiber. Melde dich mit einem Passkey an, um einen weiteren hinzuzufügen.',
    'limit-out-of-range': (most) => `Gib eine ganze Zahl von 1 bis ${number(most)} ein.`,
    'limit-above-day': () => 'Das darf nicht über dem Höchstbetrag pro Tag liegen.',
    'amount-unusable': () => 'Gib eine ganze Zahl ein, mindestens 1.',
    'address-unusable': () =>
      'Gib eine vollständige Ethereum-Adresse ein, mit großen und kleinen Buchstaben genau wie in deiner Wallet.',
    'address-elsewhere': (_, theirs = '', ours = '') =>
      `Das ist eine Adresse im Netzwerk ${theirs}, Quarters sind aber im Netzwerk ${ours}. Füg eine hinzu, die dir dort gehört.`,
    'address-more': () => 'Füg nur die Adresse ein: Sie beginnt mit 0x, und danach steht nichts mehr.',
    'address-ours': () =>
      'Diese Adresse gehört zu diesem Dienst. Wenn du hier jemanden bezahlen willst, geht das in einem Spiel.',
    'address-known': () => 'Diese Adresse hast du schon.',
    'addresses-full': (most) => `Du hast ${number(most)} Adressen. Entferne zuerst eine.`,
    'address-not-ready': () => 'Diese Adresse ist nicht bereit. Lade die Seite neu und wähle eine andere.',
    'withdrawal-above-free': (most) => `Du kannst jetzt höchstens ${quarters(most)} auszahlen.`,
    'withdrawal-above-day': (most) => `Dein Limit für 24 Stunden erlaubt noch höchstens ${quarters(most)}.`,
    'withdrawal-above-all': () =>
      'Heute wurde schon viel ausgezahlt. Versuch es mit einem kleineren Betrag, oder morgen noch einmal.',
    'withdrawal-stale': () =>
      'Diese Seite ist veraltet. Lade sie neu und sieh nach, ob deine Auszahlung in der Liste steht.',
    wait: () => 'Bitte warte einen Moment und versuch es noch einmal.',
    'wait-minutes': (minutes) => `Bitte warte ${waitingTime(minutes)} und versuch es dann noch einmal.`,
    'wait-up-to-an-hour': () => 'Bitte warte bis zu einer Stunde und versuch es dann noch einmal.',
    'wait-up-to-a-day': () => 'Bitte warte bis zu einem Tag und versuch es dann noch einmal.',
    'too-many-streams': () => 'Du hast zu viele Zahlungsseiten offen. Schließ einige und versuch es noch einmal.',
  },
  otherWays: 'Mit einem Passkey oder in einem Browser, in dem du schon angemeldet warst, geht es weiterhin.',
  stopped: {
    ask: (brand) => `Wende dich an ${brand}, wenn du mehr wissen willst.`,
    account: {
      title: 'Dein Konto ist eingefroren',
      limits:
        'Du kannst keine Quarters ausgeben, E-Mail-Adresse, Passwort und Passkeys nicht ändern und das Konto nicht schließen.',
      rest: 'Du kannst weiterhin Quarters bekommen, Zahlungen ablehnen, die Verbindung zu Spielen trennen und deine Daten herunterladen.',
    },
    payment: {
      'account-frozen': 'Dein Konto ist eingefroren. Deshalb kannst du das nicht bestätigen.',
      'app-suspended': 'Dieses Spiel ist gesperrt. Deshalb kannst du das nicht bestätigen.',
    },
    errors: {
      'account-frozen': 'Das Konto des Spielers ist eingefroren.',
      'app-suspended': 'Das Spiel ist gesperrt.',
    },
  },
  passkeys: { unnamed: 'Passkey' },
  browsers: {
    unknown: 'Unbekannter Browser',
    on: (browser, system) => `${browser} auf ${system}`,
  },
  signUp: {
    title: 'Konto erstellen',
    lead: (brand) => `Ein Konto für jedes Spiel mit ${brand}. Zuerst schicken wir einen Code an deine E-Mail-Adresse.`,
    send: 'Code schicken',
    haveAccount: (link) => html`Du hast schon ein Konto? ${link}`,
    codeTitle: 'Code eingeben',
    codeSent: (email, minutes) => html`Wir haben ihn an ${email} geschickt. Er gilt ${minutesLong(minutes)}.`,
    code: 'Code',
    continue: 'Weiter',
    sendAgain: 'Neuen Code schicken',
    checkSpam: 'Nichts da? Sieh im Spam-Ordner nach.',
    mailIn: (folder) =>
      html`Es ist kein Mailserver eingerichtet. Die E-Mail liegt in ${folder} und im Log des Dienstes.`,
    otherEmail: 'Andere Adresse verwenden',
    wrongCode: 'Der Code ist falsch oder abgelaufen. Versuch es noch einmal, oder fordere einen neuen an.',
    mailRefused: (email) =>
      html`Unsere letzte E-Mail kam bei ${email} nicht an. Prüf die Adresse, oder verwende eine andere.`,
    finishTitle: 'Name und Passwort',
    name: 'Name',
    nameHint: 'Spiele zeigen ihn. Ein Spitzname genügt.',
    finish: 'Fertig',
    takenTitle: 'Du hast schon ein Konto',
    taken: (email) => html`Es gehört zu ${email}. Nichts wurde geändert.`,
  },
  signIn: {
    title: 'Anmelden',
    again: 'Bestätige, dass du es bist',
    againText: 'Melde dich noch einmal an, um weiterzumachen.',
    kept: 'Deine Eingaben bleiben erhalten.',
    toGame: (game) => html`Danach geht es weiter zum Spiel ${game}.`,
    toPay: (game, amount) => html`Das Spiel ${game} bittet dich um ${amount}. Du entscheidest nach dem Anmelden.`,
    submit: 'Anmelden',
    continue: 'Weiter',
    passkey: 'Passkey verwenden',
    forgot: 'Passwort vergessen?',
    noAccount: (link) => html`Noch kein Konto? ${link}`,
    create: 'Konto erstellen',
    wrong: 'E-Mail-Adresse oder Passwort ist falsch. Versuch es noch einmal.',
    tooMany: (wait, reset) => html`Zu viele Versuche. ${wait} Oder du kannst jetzt ${reset}.`,
    newPassword: 'ein neues Passwort festlegen',
    wrongPasskey: 'Diesen Passkey kennen wir nicht. Melde dich anders an.',
    byLink: {
      usedTitle: 'Dieser Anmeldelink funktioniert nicht mehr',
      usedText: 'Er wurde benutzt oder ist abgelaufen. Für einen neuen führ das im Ordner des Dienstes aus:',
      confirmText:
        'Führ das im Ordner des Dienstes aus, und öffne den ausgegebenen Link in diesem Browser. Mach danach hier weiter.',
      hint: (command) =>
        html`Um die Demo-App als ihr Entwickler zu testen, führ ${command} aus und öffne den ausgegebenen Link.`,
    },
  },
  continueForm: {
    title: 'Identität bestätigt',
    about: (action) => `Du wolltest gerade ${action}.`,
    something: 'deine Eingaben abschicken',
    submit: 'Weiter',
    gone: 'Deine Eingaben sind nicht mehr da',
    goneText: (minutes) =>
      `Wir heben sie ${minutesLong(minutes)} auf, und nur, bis sie abgeschickt sind. Nichts wurde geändert. Bitte gib sie noch einmal ein.`,
    closeAccount: 'dein Konto schließen',
    changeEmail: 'deine E-Mail-Adresse ändern',
    rename: 'deinen Anzeigenamen ändern',
    removePasskey: 'einen Passkey entfernen',
    removePasskeys: 'alle Passkeys entfernen',
    removeGames: 'den Zugriff aller Spiele entfernen',
    removeGame: 'den Zugriff oder das Ausgabenlimit eines Spiels entfernen',
    changeLimit: 'das Ausgabenlimit eines Spiels ändern',
    endSession: 'einen anderen Browser abmelden',
    endSessions: 'alle anderen Browser abmelden',
  },
  forgot: {
    title: 'Passwort zurücksetzen',
    lead: 'Welche E-Mail-Adresse hat dein Konto? Wir schicken einen Code dorthin.',
    remembered: (link) => html`Wieder eingefallen? ${link}`,
    newTitle: 'Neues Passwort festlegen',
    newText: `Damit wirst du überall abgemeldet. ${shared.keptAccess}`,
    submit: 'Passwort festlegen',
  },
  signOut: {
    title: 'Abmelden?',
    signedInAs: (email) => html`Du bist als ${email} angemeldet.`,
    access: (link) =>
      html`Spiele behalten den Zugriff, den du ihnen gegeben hast. Auf ${link} kannst du ihn entfernen.`,
    yourAccount: 'deiner Kontoseite',
    submit: 'Abmelden',
    stay: 'Angemeldet bleiben',
    done: 'Du bist abgemeldet',
  },
  guest: {
    title: 'Konto behalten',
    lead: (game, brand) =>
      html`Du spielst ${game} als Gast. Mit E-Mail-Adresse und Passwort kannst du dieses Konto auf jedem Gerät und in jedem Spiel mit ${brand} benutzen.`,
    balance: 'Guthaben',
    account: 'Konto',
    guest: 'Gast',
    kept: 'Auch dein Verlauf bleibt. Von da an braucht das Spiel deine Bestätigung oder ein Ausgabenlimit, um deine Quarters auszugeben.',
    finishText:
      'Das Spiel sieht diesen Namen, deine E-Mail-Adresse und deinen Kontostand und kann dich um Quarters bitten. Auf deiner Kontoseite kannst du seinen Zugriff entfernen.',
    passkey: 'Stattdessen mit Passkey',
    takenTitle: 'Zu dieser Adresse gibt es ein Konto',
    taken: (email) => html`${email} hat schon ein Konto. Melde dich dort an, um damit zu spielen.`,
    canMove: (balance) => `Dein Gastkonto hat ${balance}. Du kannst dieses Guthaben dorthin übertragen.`,
    signInAndMove: 'Anmelden und übertragen',
    signInToIt: 'Bei diesem Konto anmelden',
    orElse: 'Oder lass die Konten getrennt',
    keepPlaying: (guest) => `Um als ${guest} weiterzuspielen, schließ diese Seite. Nichts wurde geändert.`,
    otherEmail: 'Um aus diesem Gastkonto ein eigenes Konto zu machen, verwende eine andere E-Mail-Adresse:',
    merge: {
      title: 'Quarters übertragen',
      asks: (balance) => `${balance} auf dieses Konto übertragen?`,
      asksEmpty: 'Mit diesem Konto spielen?',
      lead: (balance, game) =>
        html`Übertrage ${balance} von deinem Gastkonto in ${game} auf dieses Konto. Danach wird das Gastkonto geschlossen.`,
      leadEmpty: (game) =>
        html`Dein Gastkonto in ${game} hat keine Quarters. Es wird geschlossen, und du spielst mit diesem Konto weiter.`,
      from: 'Von',
      to: 'An',
      can: (game) => html`${game} verwendet dann dieses Konto. Es kann:`,
      ends: 'Bestätigte Zahlungen werden noch ausgeführt. Nicht bestätigte Anfragen und alle Ausgabenlimits enden mit dem Gastkonto.',
      submit: 'Übertragen und schließen',
      submitEmpty: 'Gastkonto schließen',
      final: 'Das lässt sich nicht rückgängig machen. Um dein Gastkonto zu behalten, schließ diese Seite.',
    },
    otherAccount: {
      title: 'Du bist mit einem anderen Konto angemeldet',
      text: (signedInAs, proved) =>
        html`Du bist als ${signedInAs} angemeldet, hast aber ${proved} bestätigt. Melde dich ab, geh zurück und öffne diese Seite noch einmal. Nichts wurde geändert.`,
    },
    noGuest: {
      'already-full': {
        title: 'Dein Gastkonto ist jetzt ein richtiges Konto',
        text: 'Melde dich an, oder geh zurück zum Spiel und melde dich dort an.',
      },
      merged: {
        title: 'Dein Gastkonto wurde auf dein Konto übertragen',
        text: 'Seine Quarters sind dort, und das Gastkonto ist geschlossen. Melde dich an, oder geh zurück zum Spiel und melde dich dort an.',
      },
    },
    converted: {
      title: 'Dein Konto ist fertig',
      text: 'Deine Quarters und dein Verlauf sind noch da. Melde dich ab jetzt mit Passwort oder Passkey an.',
    },
    merged: {
      title: 'Du spielst jetzt mit deinem Konto',
      text: 'Dein Gastkonto ist geschlossen. Seine Quarters kommen gleich auf deinem Konto an.',
    },
    stillGuest: 'Nichts wurde geändert: Du bist weiterhin Gast. Geh zurück zum Spiel und versuch es noch einmal.',
    faults: {
      'unknown-app': {
        title: shared.unknownGame,
        text: 'Der Link nennt kein registriertes Spiel (client_id).',
      },
      'no-token': { title: shared.linkIncomplete, text: 'Er sagt nicht, welcher Gast du bist (token).' },
      'dead-token': {
        title: 'Dieser Link ist abgelaufen',
        text: 'Sein Gastschlüssel ist unbekannt oder zu alt. Nichts wurde geändert. Geh zurück zum Spiel und versuch es noch einmal.',
      },
      'foreign-token': {
        title: 'Dieser Gast gehört zu einem anderen Spiel',
        text: 'Der Gastschlüssel im Link ist für ein anderes Spiel. Nichts wurde geändert. Öffne diese Seite aus dem Spiel, das du als Gast spielst.',
      },
      'page-token': {
        title: 'Das Spiel hat den falschen Schlüssel geschickt',
        text: 'Sein Link hat einen Schlüssel, der nur Zahlungen öffnet (firebase_token). Diese Seite braucht das access_token des Gastes.',
      },
      'wrong-parameters': {
        title: shared.openedIncorrectly,
        text: 'Sein Link muss response_type=code und inline=true enthalten.',
      },
      'redirect-not-registered': {
        title: shared.wrongAddress.title,
        text: 'Es wollte dich an eine Adresse schicken, die es nicht registriert hat (redirect_uri). Deshalb haben wir abgebrochen.',
      },
      'no-challenge': {
        title: shared.linkIncomplete,
        text: 'Dieses Spiel kann kein Geheimnis bewahren. Deshalb muss sein Link eine code_challenge enthalten.',
      },
      'wrong-challenge': {
        title: shared.openedIncorrectly,
        text: 'Die code_challenge in seinem Link muss 43 Zeichen haben und die Methode S256 verwenden.',
      },
      'state-too-long': { title: shared.linkTooLong, text: 'Sein state hat mehr als 2000 Zeichen.' },
      'app-suspended': {
        title: 'Dieses Spiel ist gesperrt',
        text: 'Seine Gäste können gerade kein Konto erstellen. Deine Quarters behältst du.',
      },
    },
  },
  consent: {
    title: 'Ein Spiel möchte dein Konto verwenden',
    asks: (brand) => `möchte dein ${brand}-Konto verwenden`,
    can: 'Wenn du es erlaubst, kann es:',
    scopes: {
      openid: 'dich wiedererkennen',
      profile: 'deinen Anzeigenamen sehen',
      email: 'deine E-Mail-Adresse sehen',
      wallet: 'dein Konto, sein Guthaben und deine Belohnungen sehen',
      requests: 'dich um Quarters bitten; jede Zahlung braucht deine Bestätigung oder ein Ausgabenlimit',
    },
    choose: 'Konto auswählen',
    otherAccount: 'Anderes Konto verwenden',
    signedInAs: 'Angemeldet als',
    notYou: 'nicht du?',
    continueTo: 'Danach geht es weiter zu',
    toGame: 'dem Spiel',
    toApp: (scheme) => `einer App auf diesem Gerät (${scheme})`,
    allow: 'Erlauben',
    refuse: 'Nicht erlauben',
    revocable: 'Auf deiner Kontoseite kannst du diesen Zugriff jederzeit entfernen.',
  },
  authorization: {
    signIn: 'Anmelden',
    asks: 'bittet dich, dich anzumelden',
    open: (brand) => `Mit ${brand} anmelden`,
    done: 'Du bist angemeldet',
    refused: 'Du hast den Zugriff nicht erlaubt',
    failed: 'Du bist nicht im Spiel angemeldet',
    nothingShared: 'Nichts wurde geteilt.',
    errors: {
      access_denied: 'Der Spieler hat es nicht erlaubt.',
      server_error: 'Bei uns ist etwas schiefgegangen.',
    },
    unknownGame: {
      title: shared.unknownGame,
      text: 'Das Spiel, das dich hergeschickt hat, ist nicht registriert. Nichts wurde mit ihm geteilt.',
    },
    tooLong: {
      title: shared.linkTooLong,
      text: (most) =>
        `Einer seiner Werte hat mehr als ${most} Zeichen. Nichts wurde mit dem Spiel geteilt. Geh zurück und versuch es noch einmal. Wenn es wieder passiert, sag es dem Entwickler.`,
    },
    wrongAddress: {
      title: shared.wrongAddress.title,
      text: `${shared.wrongAddress.text} Nichts wurde geteilt.`,
    },
    expired: {
      title: shared.expired,
      text: 'Sie war zu lange offen oder in einem anderen Browser. Bitte fang im Spiel noch einmal an.',
    },
    broken: {
      title: shared.broken,
      text: 'Wir haben den Fehler protokolliert. Geh zurück zum Spiel und versuch es gleich noch einmal.',
    },
    other: {
      title: 'Das Spiel verlangt etwas, das wir nicht unterstützen',
      text: 'Nichts wurde mit ihm geteilt. Geh zurück zum Spiel und versuch es noch einmal. Wenn es wieder passiert, sag es dem Entwickler.',
    },
    forDeveloper: (error, description) =>
      description === ''
        ? html`Für den Entwickler des Spiels: ${error}.`
        : html`Für den Entwickler des Spiels: ${error}, ${description}.`,
  },
  logout: {
    title: 'Abmelden',
    asks: (brand) => `bittet dich, dich bei ${brand} abzumelden`,
    question: (brand) => `Bei ${brand} abmelden?`,
    keptAccess: shared.keptAccess,
    open: 'Weiter zum Abmelden',
    stayed: 'Du bist weiterhin angemeldet',
    wrongAddress: {
      title: shared.wrongAddress.title,
      text: `${shared.wrongAddress.text} Nichts wurde geändert.`,
    },
    allDone: { title: 'Fertig', text: 'Du kannst diese Seite schließen oder zum Spiel zurückgehen.' },
  },
  report: {
    title: 'Problem melden',
    question: 'Was stimmt mit dieser Zahlung nicht?',
    lead: 'Nur wir sehen das. An deiner Zahlung ändert sich nichts.',
    legend: 'Wähl aus, was am besten passt',
    reasons: {
      'wrong-payment': 'Der Betrag oder der Text ist falsch',
      pretends: 'Es gibt sich als ein anderes Spiel oder als wir aus',
      other: 'Etwas anderes',
    },
    noReason: 'Wähl einen Grund.',
    details: 'Einzelheiten (optional)',
    detailsHint: (most) => `Bis zu ${most} Zeichen. Gib keine Passwörter oder Codes an.`,
    submit: 'Meldung senden',
    thanks: 'Danke',
    sent: 'Wir sehen uns deine Meldung an. An deiner Zahlung hat sich nichts geändert.',
    back: 'Zurück zur Zahlung',
  },
  scripts: {
    copy: { copied: 'Kopiert', byHand: 'Markiere den Text und kopier ihn' },
    ready: { early: 'Einen Moment, dann noch einmal tippen.' },
    localTime: { language: locale, today: 'heute, {time}', yesterday: 'gestern, {time}', otherDay: '{day}, {time}' },
    password: {
      show: 'Anzeigen',
      hide: 'Ausblenden',
      short: 'Zu kurz',
      long: 'Zu lang',
      own: 'Ähnelt deinem Namen oder deiner E-Mail-Adresse zu sehr',
      weak: 'Schwach',
      good: 'Gut',
      strong: 'Stark',
    },
    passkey: {
      exists: 'Dort hast du schon einen Passkey für dieses Konto.',
      notUsed: 'Es wurde kein Passkey verwendet. Du kannst es noch einmal versuchen.',
      failed: 'Das hat nicht geklappt. Bitte versuch es gleich noch einmal.',
    },
    progress: {
      submitted: shared.onItsWay,
      completed: shared.confirmed,
      failed: 'Ein Teil ist vielleicht bezahlt; den Rest hast du zurückbekommen.',
      failedTitle: shared.stopped,
      failedSentence: 'Du hast sie bestätigt, aber sie wurde abgebrochen.',
      slow: 'Das Netzwerk ist gerade langsam. Deine Bestätigung ist gespeichert, und du kannst diese Seite schließen.',
    },
    ownWindow: shared.ownWindow,
    firstWindow: { lost: 'Mach im Spiel weiter', lostText: 'Du kannst dieses Fenster schließen.' },
    busy: { offline: 'Keine Verbindung. Nichts wurde gesendet. Prüf deine Verbindung und versuch es noch einmal.' },
    quarters: {
      approve: shared.approvePayment,
      signUp: 'Quarters behalten',
      close: 'Schließen',
      loading: 'Lädt …',
      unreachable: 'Wir können diese Seite hier nicht zeigen.',
      open: 'In einem Fenster öffnen',
      show: 'Fenster zeigen',
      opened: shared.ownWindow.opened,
      closedWindow: shared.ownWindow.closed,
      blockedWindow:
        'Dein Browser hat das Fenster blockiert. Erlaube Pop-ups für diese Seite und versuch es noch einmal.',
    },
  },
  branding: {
    verified: 'Geprüftes Spiel',
    unverified: 'Ungeprüftes Spiel',
    misleading: 'Ungeprüftes Spiel mit irreführendem Namen',
    unnamed: 'Spiel ohne Namen',
  },
  home: {
    heading: 'Deine Quarters, in jedem Spiel',
    lead: (brand) =>
      `Gewinne Quarters in einem Spiel und gib sie in einem anderen aus. ${brand} verwahrt sie in einem Konto.`,
    payment: {
      heading: 'So läuft eine Zahlung ab',
      asks: { label: 'Das Spiel fragt', about: 'Du siehst das Spiel, den Betrag und wofür er ist.' },
      approve: {
        label: 'Du bestätigst',
        about:
          'Ohne dich zu fragen, wird von deinem Konto nur innerhalb eines Ausgabenlimits abgebucht. Du kannst es senken oder entfernen.',
      },
      account: { label: 'Du siehst es im Konto', about: 'Dein Konto zeigt jede Zahlung.' },
    },
    developers: {
      heading: 'Für Spieleentwickler',
      register: { label: 'Spiel registrieren', about: 'Konto und Schlüssel bekommen' },
      tour: { label: 'Rundgang', about: 'Eine Zahlung mit curl ausführen' },
      docs: { label: 'Dokumentation', about: 'Anleitungen und jeder Aufruf mit Beispielen' },
      script: { label: 'Browser-Skript', about: 'In einem Frame oder Fenster um Zahlungen bitten' },
    },
  },
  liabilities: {
    title: 'Was allen Spielern gehört',
    intro: (brand) =>
      html`Von Zeit zu Zeit veröffentlicht ${brand}, wie viele Quarters alle Spieler und Spiele zusammen besitzen. Wer ein Konto hat, kann prüfen, ob seine mitgezählt sind.`,
    none: 'Noch ist nichts veröffentlicht.',
    latest: 'Neueste Veröffentlichung',
    block: 'Block',
    published: 'Veröffentlicht',
    accounts: 'Konten',
    balances: 'In Konten',
    rewards: 'In Belohnungen',
    treasury: 'In der Kasse',
    supply: 'Gesamtmenge',
    token: 'Token',
    root: 'Wurzel',
    overdrawn: (count) =>
      plural(count, {
        one: '# Konto liegt unter null und zählt als 0.',
        other: '# Konten liegen unter null und zählen als 0.',
      }),
    withdrawn: 'Zurückgezogen',
    withdrawnText: 'Die Blockchain enthält diesen Block nicht mehr. Deshalb sagt diese Veröffentlichung nichts aus.',
    how: 'So kannst du prüfen',
    account: 'deiner Kontoseite',
    script: 'dem Skript',
    steps: (account, script) =>
      html`Lade deinen Nachweis auf ${account} herunter. Prüf ihn mit ${script} und einem Ethereum-Knoten, dem du vertraust.`,
    shows: 'Was ein geprüfter Nachweis zeigt',
    showsList: [
      'Dein Guthaben ist in den Summen oben enthalten, auf den Quarter genau.',
      'Deine Adresse auf der Blockchain hatte bei diesem Block dieses Guthaben.',
      'Alle Konten und die Kasse zusammen hatten nicht mehr als die Gesamtmenge.',
      'Die Kasse hatte genug für alle Belohnungen, die noch nicht eingelöst waren.',
    ],
    showsNot: 'Was er nicht zeigt',
    showsNotList: [
      'Dass alle mitgezählt sind. Jeder Spieler kann nur seinen eigenen Eintrag prüfen.',
      'Alles, was nach dem Block geschah.',
      'Dass wir die Schlüssel der Konten noch haben. Das zeigen Zahlungen.',
    ],
    all: 'Alle Veröffentlichungen',
    file: 'Datei',
  },
  approval: {
    title: shared.approvePayment,
    asks: 'bittet dich um',
    message: 'Nachricht vom Spiel',
    balance: 'Guthaben',
    balanceAfter: 'Guthaben danach',
    reward: 'Deine Belohnung',
    youPay: 'Du zahlst',
    fromBoth: (reward, balance) => `${reward} aus der Belohnung, ${balance} vom Guthaben`,
    unconfirmed: 'Ein Teil deiner Quarters kommt gerade erst an. Öffne das gleich noch einmal im Spiel.',
    missing: (missing) => html`${youLack(missing)} <strong>${quarters(missing)}</strong>, um das zu bestätigen.`,
    missingThenOpen: 'Sobald du genug hast, öffne das noch einmal im Spiel.',
    approve: 'Bestätigen',
    decline: 'Ablehnen',
    topUp: 'Quarters holen',
    topUpAt: (host) => html`Öffnet ${host}`,
    mandate: (game, once, day, until) =>
      html`${game} darf bis zum ${until} höchstens <strong>${once} pro Zahlung und ${day} pro Tag</strong> ausgeben, ohne mich zu fragen`,
    mandateByApproval: (game, once, day, until) =>
      html`Wenn du bestätigst, darf ${game} bis zum ${until} höchstens <strong>${once} pro Zahlung und ${day} pro Tag</strong> abbuchen, ohne dich zu fragen.`,
    askEveryTime: 'Frag mich jedes Mal',
    confirmed: 'Du hast bestätigt, dass du es bist. Jetzt kannst du die Zahlung bestätigen.',
    confirm: (above) => `Für Zahlungen über ${above} brauchst du noch einmal dein Passwort oder deinen Passkey.`,
    refused: {
      'insufficient-quarters': 'Du hast nicht genug Quarters. Nichts wurde abgebucht.',
      'quarters-unconfirmed': 'Das kann noch nicht bezahlt werden. Nichts wurde abgebucht.',
      'amount-too-large': 'Diese Zahlung liegt über dem aktuellen Limit. Nichts wurde abgebucht.',
      'payments-suspended':
        'Zahlungen sind gerade ausgesetzt. Nichts wurde abgebucht. Bitte versuch es später noch einmal.',
      'app-backlog-full':
        'Dieses Spiel hat zu viele laufende Zahlungen. Nichts wurde abgebucht. Bitte versuch es gleich noch einmal.',
      overloaded: 'Bei uns ist gerade viel los. Nichts wurde abgebucht. Bitte versuch es gleich noch einmal.',
    },
    review: 'Zahlung ansehen',
    waiting: 'Eine Zahlung wartet auf dich',
  },
  account: {
    title: 'Dein Konto',
    back: 'Dein Konto',
    balance: 'Guthaben',
    reserved: (amount) => html`${amount} reserviert für laufende Zahlungen`,
    reward: (amount) => `${amount} Belohnung, wird bei deiner nächsten Zahlung automatisch verwendet`,
    recentActivity: 'Neueste Zahlungen',
    allActivity: 'Alle Zahlungen',
    games: 'Spiele',
    connectedGames: 'Verbundene Spiele',
    gameCount: (count) => (count === 0 ? 'Noch keine' : plural(count, { one: '# Spiel', other: '# Spiele' })),
    profile: 'Profil und Spiele',
    security: 'Anmeldung und Sicherheit',
    displayName: 'Anzeigename',
    email: 'E-Mail-Adresse',
    address: 'Ethereum-Adresse',
    viewOnExplorer: 'Im Block-Explorer ansehen',
    password: 'Passwort',
    changePassword: 'Passwort ändern',
    passkeys: 'Passkeys',
    passkeyCount: (count) => (count === 0 ? 'Noch keine' : plural(count, { one: '# Passkey', other: '# Passkeys' })),
    sessions: 'Wo du angemeldet bist',
    sessionCount: (count) =>
      count === 1
        ? 'Nur hier'
        : plural(count - 1, { one: 'Hier und in # anderem Browser', other: 'Hier und in # anderen Browsern' }),
    operation: 'Betrieb',
    console: 'Konsole der Betreiber',
    consoleHint: 'Wirtschaft, Zustand und Aktionen',
    data: 'Deine Daten',
    exportActivity: 'Alle Zahlungen herunterladen',
    exportProfile: 'Profil herunterladen',
    exportFormat: 'CSV-Datei',
    proof: {
      title: 'Nachweis deines Guthabens',
      entry: (block) => `Bei Block ${block}`,
      intro: (all) =>
        html`Deine Quarters sind in ${all} enthalten, die wir veröffentlicht haben. Wer deinen Nachweis und einen Ethereum-Knoten hat, kann das prüfen.`,
      limits: 'Er zeigt dein Guthaben bei einem Block. Er zeigt nicht, was danach geschah.',
      block: 'Block',
      published: 'Veröffentlicht',
      sums: 'den Summen',
      balance: 'Dein Guthaben damals',
      rewards: 'Deine Belohnungen damals',
      address: 'Deine Adresse',
      root: 'Veröffentlichte Wurzel',
      download: 'Nachweis herunterladen',
      check: 'Prüf ihn',
      checkIntro: (script) =>
        html`Lade deinen Nachweis und ${script} herunter, und führ das mit Node.js 20 oder neuer aus. Ersetze den letzten Wert durch einen Ethereum-Knoten, dem du vertraust.`,
      script: 'das Prüfskript',
      command: 'Prüfbefehl',
      compare: (all) =>
        html`Vergleiche die Wurzel mit ${all} oder mit einer, die du dir früher notiert hast. Das Skript ist kurz: Du kannst es zuerst lesen.`,
      path: 'Weg zur Wurzel',
      pathIntro: 'Was auf jeder Ebene neben deinem Eintrag steht. Es nennt niemanden.',
      none: 'Wir haben unsere Summen noch nicht veröffentlicht. Sobald wir es tun, erscheint dein Nachweis hier.',
      younger:
        'Dein Konto ist neuer als unsere letzte Veröffentlichung. Dein Nachweis erscheint hier nach der nächsten.',
    },
    closeAccount: 'Konto schließen',
    closeAccountNow: 'Das lässt sich nicht rückgängig machen',
    duration: (count, of) => plural(count, IN[of]),
    changed: {
      name: 'Dein Anzeigename wurde geändert.',
      email: 'Deine E-Mail-Adresse wurde geändert, und du wurdest überall sonst abgemeldet.',
      password: 'Dein Passwort wurde geändert, und du wurdest überall sonst abgemeldet.',
      passkeys: 'Alle Passkeys wurden entfernt, und du wurdest überall sonst abgemeldet.',
      games: 'Du wurdest von allen Spielen abgemeldet.',
      limit: 'Dein Ausgabenlimit wurde geändert.',
      withdrawal: 'Deine Auszahlung ist unterwegs.',
      withdrawalAddress: 'Die Adresse wurde hinzugefügt.',
    },
    name: {
      title: 'Anzeigenamen ändern',
      label: 'Anzeigename',
      hint: 'Spiele zeigen ihn. Ein Spitzname genügt. 1 bis 40 Zeichen.',
      submit: 'Namen ändern',
    },
    emailChange: {
      title: 'E-Mail-Adresse ändern',
      intro: (address) =>
        html`Deine Adresse ist ${address}. Wir schicken einen Code dorthin und einen an die neue Adresse.`,
      label: 'Neue E-Mail-Adresse',
      submit: 'Beide Codes schicken',
      taken:
        'Ein anderes Konto verwendet diese Adresse. Deshalb wurde nichts geändert. Wenn es deins ist, melde dich dort an und schließ es, oder ändere zuerst seine Adresse.',
      stale: 'Das hat zu lange gedauert, oder dein Konto wurde inzwischen geändert. Bitte fang noch einmal an.',
      codesTitle: 'Beide Codes eingeben',
      codesIntro: (time) =>
        `Wir haben an jede Adresse einen sechsstelligen Code geschickt. Die Codes laufen in ${time} ab.`,
      otherCodeTitle: 'Den anderen Code eingeben',
      otherCodeIntro: (time) => `Der andere Code läuft in ${time} ab.`,
      codeSentTo: (address) => `Code an ${address}`,
      codeCorrect: (address) => html`Der Code an ${address} war richtig.`,
      codeWrong: 'Der Code ist falsch oder abgelaufen.',
      codeRefused: 'Unsere E-Mail kam bei dieser Adresse nicht an. Deshalb kommt auch ihr Code nicht.',
      confirm: 'Adresse ändern',
      restart: 'Von vorn anfangen',
    },
    passwordChange: {
      title: 'Passwort ändern',
      intro: 'Du wirst überall sonst abgemeldet. Spiele behalten den Zugriff, den du ihnen gegeben hast.',
      current: 'Aktuelles Passwort',
      next: 'Neues Passwort',
      submit: 'Passwort ändern',
      withPasskey: 'Passkey statt Passwort',
      forgotten: 'Aktuelles Passwort vergessen?',
    },
    passkeyList: {
      intro: 'Melde dich mit Fingerabdruck, Gesicht oder Bildschirmsperre an. Ein Passkey schützt dich vor Phishing.',
      yours: 'Deine Passkeys',
      none: 'Noch keine Passkeys.',
      used: (added, used) => html`Hinzugefügt am ${added}; zuletzt benutzt am ${used}`,
      unused: (added) => html`Hinzugefügt am ${added}; noch nicht benutzt`,
      remove: 'Entfernen',
      removeNamed: (name) => `${name} entfernen`,
      removeAll: 'Alle Passkeys entfernen',
      removeAllHint:
        'Wenn du alle Passkeys entfernst, wirst du auch überall sonst abgemeldet. Deine eigenen kannst du danach wieder hinzufügen.',
      add: 'Neuer Passkey',
      full: (most) => `Du hast ${most} Passkeys. Entferne einen, um einen weiteren hinzuzufügen.`,
      unsupported: 'Dafür brauchst du JavaScript und einen Browser, der Passkeys unterstützt.',
      label: 'Name',
      hint: 'Damit du ihn wiedererkennst, zum Beispiel „Handy“.',
      submit: 'Passkey hinzufügen',
      nameless: 'Gib einen Namen ein.',
      prove: (address) =>
        html`Du hast dich mit deinem Passwort angemeldet. Bevor du einen Passkey hinzufügst, gib einen Code ein, den wir an ${address} schicken.`,
      proveWithPasskey: 'Einen vorhandenen Passkey benutzen',
      stop: {
        title: 'Diesen Passkey entfernen?',
        text: 'Danach kann sich niemand mehr damit anmelden. Alle, die in deinem Konto angemeldet sind, werden abgemeldet.',
        submit: 'Diesen Passkey entfernen',
        done: 'Der Passkey ist entfernt',
        doneText: 'Wenn du ihn nicht hinzugefügt hast, kennt jemand dein Passwort. Leg jetzt ein neues fest.',
        gone: 'Dieser Link funktioniert nicht mehr',
        goneText: 'Der Passkey wurde entfernt, oder der Link ist zu alt. Deine Passkeys stehen auf deiner Kontoseite.',
      },
    },
    sessionList: {
      intro: (changePassword) => html`Du erkennst einen nicht? Melde ihn ab, und ${changePassword}.`,
      changePassword: 'ändere dann dein Passwort',
      here: 'Dieser Browser',
      lastUsed: (time) => html`Zuletzt benutzt: ${time}`,
      signedIn: (time, how) => html`Angemeldet mit ${how}: ${time}`,
      byPasskey: 'einem Passkey',
      byPassword: 'deinem Passwort',
      byCode: 'einem Code aus einer E-Mail',
      signOut: 'Abmelden',
      signOutOf: (browser) => `${browser} abmelden`,
      signOutElsewhere: 'Überall sonst abmelden',
      limits: (idle, days, endAccess) =>
        html`Du wirst abgemeldet, wenn du ${idle} lang nichts tust, und spätestens nach ${daysOn(days)}. Spiele können angemeldet bleiben, bis du ${endAccess}.`,
      endAccess: 'ihren Zugriff beendest',
    },
    gameList: {
      title: 'Verbundene Spiele',
      intro: 'Diese Spiele haben Zugriff auf dein Konto. Änderungen gelten sofort. Frühere Zahlungen bleiben bezahlt.',
      none: 'Kein Spiel hat Zugriff auf dein Konto.',
      noneHint: 'Ein Spiel erscheint hier, sobald du dich darin anmeldest.',
      since: (day) => html`Seit ${day} kann es:`,
      limit: (most, until) => html`Ausgabenlimit: höchstens ${most}, ohne dich zu fragen. Es gilt bis zum ${until}.`,
      limitAmounts: (atATime, aDay) => `${atATime} pro Zahlung und ${aDay} pro Tag`,
      used: (spent, most) => `Heute ausgegeben (UTC): ${spent} von ${most}`,
      changeLimit: 'Limit ändern',
      askEveryTime: 'Frag mich jedes Mal',
      disconnect: 'Trennen',
      activity: 'Zahlungen',
      changeLimitOf: (game) => `Limit ändern von „${game}“`,
      askEveryTimeFor: (game) => `Frag mich jedes Mal bei „${game}“`,
      disconnectFrom: (game) => `Trennen von „${game}“`,
      activityOf: (game) => `Zahlungen von „${game}“`,
      all: 'Alle Spiele',
      signOutHint:
        'Das beendet ihren Zugriff und ihre Ausgabenlimits. Jedes Spiel fragt dich wieder, wenn du dich das nächste Mal darin anmeldest.',
      signOutOfAll: 'Von allen Spielen abmelden',
    },
    limitChange: {
      title: 'Dein Ausgabenlimit',
      intro:
        'Bis zu diesen Beträgen bucht das Spiel ab, ohne dich zu fragen. Beträge, die du senkst, erhöht eine bestätigte Zahlung nicht.',
      perPayment: 'Höchstbetrag pro Zahlung',
      perDay: 'Höchstbetrag pro Tag (UTC)',
      most: (most) => `Bis zu ${most}.`,
      submit: 'Speichern',
    },
    withdrawals: {
      title: 'Quarters auszahlen',
      entry: 'An deine eigene Ethereum-Adresse',
      intro:
        'Sende Quarters an deine eigene Ethereum-Adresse. Eine Auszahlung ist endgültig, und wir können sie nicht zurückholen.',
      now: 'Zur Auszahlung verfügbar',
      held: (amount) => `Für Zahlungen reserviert: ${amount}`,
      young: (amount) => `Gerade erst erhalten und noch nicht endgültig: ${amount}`,
      dayLimit: (left, limit) => `Noch übrig von deinem Limit für 24 Stunden: ${left} von ${limit}`,
      limitOfAll: (left) => `Noch übrig vom Limit aller Spieler: ${left}`,
      to: 'An',
      amount: 'Betrag in Quarters',
      submit: 'Mit einem Passkey auszahlen',
      noneReady: 'Du kannst auszahlen, sobald eine deiner Adressen bereit ist.',
      needsPasskey: (link) => html`Nur ein Passkey kann eine Auszahlung bestätigen. Zuerst musst du ${link}.`,
      addPasskey: 'einen Passkey hinzufügen',
      addresses: 'Deine Adressen',
      none: 'Du hast noch keine Adresse hinzugefügt.',
      readyFrom: (time) => html`Bereit ab ${time}`,
      announcing: (wait) => `Bereit ${wait} nach der Zustellung unserer E-Mail darüber`,
      ready: 'Bereit',
      stopped: 'Gesperrt. Dorthin kann nichts gesendet werden.',
      remove: 'Entfernen',
      removeNamed: (address) => `${address} entfernen`,
      withPasskey: 'Wenn du einen Passkey entfernst, verschwinden auch die Adressen, die du damit bestätigt hast.',
      add: 'Adresse hinzufügen',
      wait: (wait) => `Eine neue Adresse kannst du nach ${wait} benutzen. Wir schicken dir einen Link, der sie sperrt.`,
      shortWait: (wait, usual) => `In der Entwicklung wartest du nur ${wait} statt ${usual}.`,
      youngPasskey: (time) => html`Dein Passkey ist neu. Ab ${time} kann er eine Adresse bestätigen.`,
      address: 'Ethereum-Adresse',
      addressHint: 'Füge sie so ein, wie deine Wallet sie zeigt. Die großen Buchstaben schützen dich vor Tippfehlern.',
      confirm: 'Mit einem Passkey bestätigen',
      last: 'Letzte 24 Stunden',
      states: {
        onItsWay: shared.onItsWay,
        completed: 'Gesendet',
        failed: 'Nicht gesendet. Du hast die Quarters zurück',
      },
      check: 'An diese Adressen können Quarters gesendet werden. Gehört eine nicht dir, entferne sie.',
      manage: 'Adressen verwalten',
      stop: {
        title: 'Diese Adresse sperren?',
        text: 'Danach kann von deinem Konto nichts mehr dorthin gesendet werden:',
        submit: 'Diese Adresse sperren',
        done: 'Die Adresse ist gesperrt',
        doneText:
          'Wenn du sie nicht hinzugefügt hast, war jemand anderes in deinem Konto angemeldet. Leg jetzt ein neues Passwort fest.',
        gone: 'Dieser Link funktioniert nicht mehr',
        goneText: 'Die Adresse wurde entfernt, oder der Link ist zu alt. Deine Adressen stehen auf deiner Kontoseite.',
      },
    },
    check: {
      title: 'Konto prüfen',
      allSet: 'Alles in Ordnung',
      passkeys: 'Wer einen von diesen hat, kann sich anmelden. Wenn einer nicht deiner ist, entferne alle.',
      passkey: (name, day) => html`${name}, hinzugefügt am ${day}`,
      games: (count) =>
        count === 1 ? 'Dieses Spiel hat Zugriff auf dein Konto.' : 'Diese Spiele haben Zugriff auf dein Konto.',
      game: (game, day) => html`${game}, seit ${day}`,
      goToAccount: 'Zu deinem Konto',
      proceed: 'Weiter',
    },
    closing: {
      title: 'Konto schließen',
      ownsGames:
        'Du kannst dein Konto nicht schließen, solange dir Spiele gehören. Ihre Spieler und Zahlungen hängen davon ab.',
      handOver: (link) =>
        html`Lösch sie, oder übergib sie auf ${link} an einen Admin ihres Teams. Auch der Betreiber dieses Dienstes kann sie übertragen.`,
      developerPages: 'den Entwicklerseiten',
      intro: 'Das lässt sich nicht rückgängig machen. Wenn du dein Konto schließt:',
      goesBack: (amount, one, brand) =>
        one
          ? html`Dein ${amount} geht zurück an den Betreiber von ${brand}.`
          : html`Deine ${amount} gehen zurück an den Betreiber von ${brand}.`,
      nothingToLose: 'Du hast keine Quarters zu verlieren.',
      rewardLost: (amount) => `Du verlierst deine Belohnung von ${amount}.`,
      payments:
        'Zahlungen, die auf deine Antwort warten, werden abgebrochen. Bestätigte Zahlungen gehen noch durch. Spätere Zahlungen an dich bekommt der Betreiber.',
      access: 'Alle Spiele verlieren den Zugriff auf dein Konto.',
      erased: 'E-Mail-Adresse, Name, Passwort und Passkeys werden gelöscht.',
      chain: 'Frühere Zahlungen und die Adresse deines Kontos bleiben für immer auf der Blockchain.',
      exports: (activity, profile) => html`Vielleicht willst du vorher noch ${activity} und ${profile} herunterladen.`,
      exportActivity: 'deine Zahlungen',
      exportProfile: 'dein Profil',
      confirm: 'Gib zur Bestätigung deine E-Mail-Adresse ein',
      wrongAddress: 'Das ist nicht deine E-Mail-Adresse.',
      submit: 'Konto endgültig schließen',
      closed: 'Dein Konto ist geschlossen',
      closedText: 'Du bist abgemeldet. E-Mail-Adresse, Name, Passwort und Passkeys sind gelöscht. Danke fürs Spielen.',
    },
  },
  activity: {
    title: 'Deine Zahlungen',
    none: 'Noch keine Zahlungen.',
    search: 'Suchen',
    searchHint: 'Spiel, Text, Betrag',
    filter: 'Filter',
    kinds: {
      all: 'Alle',
      payments: 'Zahlungen',
      received: 'Erhalten',
      waiting: 'Unterwegs',
      failed: 'Nicht bezahlt',
    },
    onlyGame: (game) => html`Nur ${game}`,
    nothingFound: 'Nichts gefunden.',
    nothingFoundSoFar: 'Noch nichts gefunden. Such in älteren Einträgen.',
    clear: 'Suche und Filter löschen',
    newest: 'Neueste',
    older: 'Ältere',
    archived: (day) =>
      html`Einträge von vor dem ${day} sind archiviert. Der Betreiber dieses Dienstes kann sie nachsehen.`,
    download: 'Alle Zahlungen herunterladen (CSV)',
    fromOperator: (brand) => `Vom Betreiber von ${brand}`,
    toOperator: (brand) => `An den Betreiber von ${brand}`,
    fromGuest: 'Von deinem Gastkonto',
    depositFrom: (address) => html`Eingang von ${address}`,
    sentTo: (address) => html`Gesendet an ${address}`,
    received: 'Erhalten',
    sent: 'Gesendet',
    transaction: 'Transaktion',
    asked: {
      pending: 'Wartet auf deine Antwort',
      approved: 'Bestätigt, unterwegs',
      submitted: 'Bestätigt, unterwegs',
      completed: 'Bezahlt',
      failed: 'Fehlgeschlagen. Was nicht bezahlt wurde, hast du zurückbekommen',
      declined: 'Du hast abgelehnt',
      expired: 'Abgelaufen, nichts wurde abgebucht',
      cancelled: 'Abgebrochen, nichts wurde abgebucht',
    },
    unasked: {
      approved: 'Unterwegs, innerhalb deines Ausgabenlimits',
      submitted: 'Unterwegs, innerhalb deines Ausgabenlimits',
      completed: 'Innerhalb deines Ausgabenlimits bezahlt',
    },
    paid: {
      approved: 'Unterwegs zu dir',
      submitted: 'Unterwegs zu dir',
      completed: 'Erhalten',
      failed: 'Fehlgeschlagen, du hast nichts erhalten',
    },
    refunded: {
      approved: 'Erstattung, unterwegs zu dir',
      submitted: 'Erstattung, unterwegs zu dir',
      completed: 'Erstattet',
      failed: 'Erstattung fehlgeschlagen, du hast nichts erhalten',
    },
  },
  mails: {
    code: (minutes) => `Er gilt einmal und läuft in ${minutesLong(minutes)} ab. ${shared.neverShare}`,
    neverShare: shared.neverShare,
    ignore: 'Wenn du das nicht warst, ignoriere diese E-Mail.',
    setPassword: 'Neues Passwort festlegen',
    intruder:
      'Wenn du das nicht warst, ist jemand anderes in deinem Konto angemeldet. Leg ein neues Passwort fest, um ihn abzumelden:',
    notYou: 'Wenn du das nicht warst, leg ein neues Passwort fest:',
    signUp: {
      subject: (code, brand) => `${code} ist dein Code für ${brand}`,
      heading: (brand) => `Dein Code für ${brand}`,
      enter: 'Gib diesen Code auf der Seite ein, auf der du diese Adresse eingegeben hast:',
    },
    reset: {
      subject: (code) => `${code} ist dein Code für ein neues Passwort`,
      heading: 'Dein Code für ein neues Passwort',
      enter: (brand) =>
        `Jemand wollte das Passwort deines ${brand}-Kontos zurücksetzen. Wenn du das warst, gib diesen Code ein:`,
      ignore: 'Wenn du das nicht warst, ignoriere diese E-Mail: Dein Passwort bleibt, wie es ist.',
    },
    noAccount: {
      subject: 'Zu dieser Adresse gibt es kein Konto',
      asked: (brand) =>
        `Jemand wollte das Passwort eines ${brand}-Kontos mit dieser E-Mail-Adresse zurücksetzen. So ein Konto gibt es nicht.`,
      create: 'Wenn du das warst, versuch eine andere Adresse, oder erstell ein Konto:',
      createLink: 'Konto erstellen',
    },
    passwordChanged: {
      subject: 'Dein Passwort wurde geändert',
      elsewhere: (brand) =>
        `Das Passwort deines ${brand}-Kontos wurde gerade geändert, und du wurdest überall sonst abgemeldet.`,
      everywhere: (brand) =>
        `Das Passwort deines ${brand}-Kontos wurde gerade geändert, und du wurdest überall abgemeldet.`,
      passkeys: 'Mit diesen Passkeys kann man sich weiterhin in deinem Konto anmelden:',
      passkey: (name, day) => `„${name}“, hinzugefügt am ${day}`,
      games: shared.keptAccess,
      check: 'Prüf alles, was dein Konto benutzen kann, und entferne, was nicht deins ist:',
      checkLink: 'Konto prüfen',
      secure:
        'Wenn du das nicht warst, kann jemand deine E-Mails lesen. Sichere zuerst dein Postfach, und leg dann ein neues Passwort fest:',
    },
    passkeys: {
      added: 'Ein Passkey wurde hinzugefügt',
      addedTo: (name, brand) =>
        `Der Passkey „${name}“ wurde gerade zu deinem ${brand}-Konto hinzugefügt. Wer ihn hat, kann sich anmelden.`,
      remove: 'Wenn du das nicht warst, entferne ihn, und leg ein neues Passwort fest:',
      removeLink: 'Diesen Passkey entfernen',
      removed: 'Ein Passkey wurde entfernt',
      removedFrom: (name, brand) =>
        `Der Passkey „${name}“ wurde gerade aus deinem ${brand}-Konto entfernt. Damit kannst du dich nicht mehr anmelden.`,
      allRemoved: 'Alle Passkeys wurden entfernt',
      allRemovedFrom: (brand) =>
        `Alle Passkeys wurden aus deinem ${brand}-Konto entfernt, und du wurdest überall sonst abgemeldet. Mit diesen kannst du dich nicht mehr anmelden:`,
      name: (name) => `„${name}“`,
      codeSubject: (code) => `${code} ist dein Code für einen neuen Passkey`,
      codeHeading: 'Dein Code für einen neuen Passkey',
      asked: (brand) =>
        `Jemand, der in deinem ${brand}-Konto angemeldet ist, will einen Passkey hinzufügen. Wenn du das warst, gib diesen Code ein:`,
    },
    emailChange: {
      subject: (code) => `${code} ist dein Code für deine neue E-Mail-Adresse`,
      heading: 'Dein Code für deine neue E-Mail-Adresse',
      asked: (brand) => `Jemand, der in deinem ${brand}-Konto angemeldet ist, wollte die E-Mail-Adresse ändern in:`,
      enter: 'Wenn du das warst, gib diesen Code ein:',
      second: (minutes) =>
        `Er gilt einmal und läuft in ${minutesLong(minutes)} ab. Einen zweiten Code haben wir an die neue Adresse geschickt. Gib keinen von beiden weiter, auch nicht an uns.`,
      askedNew: (brand) =>
        `Jemand wollte diese E-Mail-Adresse für sein ${brand}-Konto benutzen. Wenn du das warst, gib diesen Code ein:`,
      first: (minutes) =>
        `Er gilt einmal und läuft in ${minutesLong(minutes)} ab. Einen zweiten Code haben wir an die aktuelle Adresse des Kontos geschickt.`,
      taken: (brand) =>
        `Diese Adresse gehört schon zu einem anderen ${brand}-Konto und kann nicht verwendet werden. Wenn auch dieses Konto dir gehört, melde dich zuerst dort an und ändere seine Adresse, oder schließ es.`,
      changed: 'Deine E-Mail-Adresse wurde geändert',
      changedTo: (brand) => `Die E-Mail-Adresse deines ${brand}-Kontos wurde gerade geändert in:`,
      elsewhere: 'Du wurdest überall sonst abgemeldet. E-Mails zum Konto gehen jetzt an die neue Adresse.',
      secure:
        'Wenn du das nicht warst, kann jemand deine E-Mails lesen und ist in deinem Konto angemeldet. Sichere dein Postfach, und bitte den Betreiber dieses Dienstes um Hilfe.',
    },
    closed: {
      subject: 'Dein Konto ist geschlossen',
      asked: (brand) =>
        `Wir haben dein ${brand}-Konto geschlossen, wie du es wolltest. Du kannst diese Adresse für ein neues benutzen.`,
      last: 'Das ist unsere letzte E-Mail zu diesem Konto.',
    },
    spendingLimit: {
      subject: (game) => `${game} darf jetzt deine Quarters ausgeben, ohne dich zu fragen`,
      limit: (game, atATime, aDay, day) =>
        `${game} darf jetzt bis zum ${day} höchstens ${atATime} pro Zahlung und ${aDay} pro Tag von deinem Konto abbuchen, ohne dich zu fragen. Der Grund: Du hast früher eine Zahlung an das Spiel bestätigt.`,
      remove: 'Du kannst dieses Ausgabenlimit jederzeit senken oder entfernen:',
      removeLink: 'Deine Ausgabenlimits',
    },
    withdrawalAddress: {
      subject: 'Eine Adresse für Auszahlungen wurde hinzugefügt',
      added: (brand, wait) =>
        `Jemand, der in deinem ${brand}-Konto angemeldet ist, hat diese Ethereum-Adresse hinzugefügt. In ${wait} können Quarters dorthin gesendet werden:`,
      stop: 'Wenn du das nicht warst, sperr die Adresse jetzt:',
      link: 'Adresse sperren',
    },
    withdrawal: {
      subject: 'Auszahlung von deinem Konto',
      sent: (amount, brand) => `Wir senden ${amount} von deinem ${brand}-Konto an diese Ethereum-Adresse:`,
    },
    actionWaiting: {
      subject: (action) => `Deine Zustimmung wird gebraucht: ${action}`,
      asked:
        'Ein anderer Betreiber hat darum gebeten. Es wartet auf die Zustimmung eines zweiten Betreibers und läuft nach 24 Stunden ab:',
      link: 'Aktion ansehen',
    },
    invitation: {
      subject: (game) => `Du bist ins Team von ${game} eingeladen`,
      invited: (inviter, game, role, brand) =>
        `${inviter} lädt dich ein, „${game}“ bei ${brand} mitzuverwalten. Deine Rolle: ${ROLES[role]}.`,
      join: 'Melde dich mit dieser E-Mail-Adresse an, um anzunehmen oder abzulehnen. Wenn du noch kein Konto hast, erstell eins damit:',
      link: 'Deine Apps',
      expires: (days) => `Die Einladung läuft in ${daysOn(days)} ab.`,
    },
    appDeleted: {
      subject: (game) => `${game} wurde gelöscht`,
      gone: (game) =>
        `Die App „${game}“ wurde gerade gelöscht. Ihre Schlüssel, Tokens und Webhooks funktionieren nicht mehr.`,
      kept: 'Zahlungen, die unterwegs sind, kommen noch an. Wenn du oder dein Team das nicht war, wende dich an den Betreiber dieses Dienstes.',
    },
    endpointDisabled: {
      subject: (game) => `Ein Webhook-Endpunkt von ${game} ist abgeschaltet`,
      stopped: (game) => `Wir senden die Ereignisse von ${game} nicht mehr an:`,
      gone: 'Er hat mit 410 (Gone) geantwortet. Sobald er wieder funktioniert, schalt ihn auf der Entwicklerseite ein:',
      failing:
        'Drei Tage lang ist jede Zustellung fehlgeschlagen. Sobald er wieder funktioniert, schalt ihn auf der Entwicklerseite ein:',
      link: 'Webhooks',
      missed: 'Verpasste Ereignisse kannst du 30 Tage lang mit GET /v1/events lesen.',
    },
  },
  ownWindow: {
    why: (brand) => `Zu deiner Sicherheit bestätigst du in einem Fenster von ${brand}.`,
    refused: (link) => html`Dein Browser hat das Fenster blockiert. Stattdessen: ${link}.`,
    thisTab: 'in diesem Tab weitermachen',
  },
  firstWindow: { title: 'Öffnet …' },
  result: {
    transaction: (hash) => html`Transaktion ${hash}`,
    paidTitle: 'Bezahlt',
    paid: (amount) => `${quarters(amount)} bezahlt`,
    paidTo: (game) => html`An ${game}`,
    alreadyPaid: (game) => html`Das hast du schon an ${game} bezahlt. Mehr wurde nicht abgebucht.`,
    declined: 'Abgelehnt',
    declinedText: 'Du hast diese Zahlung abgelehnt. Nichts wurde abgebucht.',
    alreadyDeclined: 'Du hast diese Zahlung schon abgelehnt. Nichts wurde abgebucht.',
    expired: 'Diese Zahlung ist abgelaufen',
    expiredText:
      'Du hast nicht rechtzeitig geantwortet. Nichts wurde abgebucht. Wenn du noch bezahlen willst, fang im Spiel noch einmal an.',
    cancelled: 'Das Spiel hat diese Anfrage abgebrochen',
    cancelledText: 'Nichts wurde abgebucht. Wenn du noch bezahlen willst, fang im Spiel noch einmal an.',
    stopped: shared.stopped,
    stoppedText:
      'Du hast sie bestätigt, aber sie wurde abgebrochen. Ein Teil ist vielleicht bezahlt; den Rest hast du zurückbekommen. Wenn du noch bezahlen willst, fang im Spiel noch einmal an.',
    notEnough: 'Nicht genug Quarters',
    notEnoughText: (missing, minutes) =>
      `Nichts wurde abgebucht. ${youLack(missing)} ${quarters(missing)}. Sobald du genug hast, öffne diese Zahlung noch einmal im Spiel. Sie bleibt noch ${openFor(minutes)} offen.`,
    notApproved: 'Du hast das nicht bestätigt',
    notApprovedText: 'Nichts wurde abgebucht. Die Zahlung ist noch offen.',
    notEnoughError: 'Der Spieler hat nicht genug Quarters.',
    endedErrors: {
      expired: 'Die Anfrage ist abgelaufen.',
      cancelled: 'Die Anfrage wurde abgebrochen.',
      failed: 'Die Anfrage ist fehlgeschlagen.',
    },
  },
  progress: {
    confirmed: shared.confirmed,
    onItsWay: shared.onItsWay,
    reload: 'Lade diese Seite neu, um zu sehen, ob sie angekommen ist.',
  },
  approvalFailures: {
    lookAgain: shared.lookAgain,
    wrongAddress: shared.wrongAddress.title,
    wrongAddressText: `${shared.wrongAddress.text} ${shared.lookAgain}`,
    foreignText: `Eine andere Seite wollte für dich antworten. Deshalb haben wir abgebrochen. ${shared.lookAgain}`,
    notFound: 'Wir finden diese Zahlung nicht',
    notFoundText:
      'Vielleicht ist der Link unvollständig, oder er gehört jemand anderem. Geh zurück zum Spiel und öffne die Zahlung von dort.',
    busyText: 'Bitte öffne die Zahlung gleich noch einmal, um ihren Status zu sehen.',
    unavailable: 'Wir können dein Guthaben gerade nicht laden',
    unavailableText: 'Bitte öffne die Zahlung in einer Minute noch einmal, um ihren Status zu sehen.',
    unknownText:
      'Bitte öffne die Zahlung gleich noch einmal, um ihren Status zu sehen. Diese Zahlung wird nie doppelt ausgeführt.',
  },
};

function waitingTime(minutes: Count): string {
  if (Number(minutes) === 60) return 'eine Stunde';
  return Number(minutes) === 24 * 60 ? 'einen Tag' : minutesLong(minutes);
}

function openFor(minutes: number): string {
  return minutes < 100 ? minutesLong(minutes) : plural(Math.floor(minutes / 60), IN.hour);
}
