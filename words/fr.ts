// Not yet read by anybody whose first language is French.
import { html } from 'hono/html';
import { type Count, formatsOf } from '../src/base/formats.ts';
import type { Words } from './en.ts';

const formats = formatsOf('fr');
const { number, locale, plural } = formats;

const unit = (amount: Count) => plural(amount, { one: 'quarter', many: 'de quarters', other: 'quarters' });
const quarters = (amount: Count) => `${number(amount)} ${unit(amount)}`;

const TIMES = {
  minute: { one: '# minute', other: '# minutes' },
  hour: { one: '# heure', other: '# heures' },
  day: { one: '# jour', other: '# jours' },
};
const minutesLong = (minutes: Count) => plural(minutes, TIMES.minute);
const atMost = (characters: Count) => `Utilise ${number(characters)} caractères au maximum.`;

const shared = {
  expired: 'Cette page a expiré',
  broken: 'Un problème est survenu chez nous',
  unknownGame: 'Nous ne connaissons pas ce jeu',
  linkIncomplete: 'Le lien est incomplet',
  linkTooLong: 'Le lien est trop long',
  openedIncorrectly: 'Le jeu a mal ouvert cette page',
  wrongAddress: {
    title: 'Le jeu a donné une mauvaise adresse',
    text: 'Il voulait t’envoyer à une adresse qu’il n’a pas enregistrée. Nous avons donc interrompu l’opération.',
  },
  lookAgain: 'Ouvre à nouveau le paiement depuis le jeu pour voir où il en est.',
  keptAccess: 'Les jeux gardent l’accès que tu leur as donné.',
  neverShare: 'Ne le donne à personne, même pas à nous.',
  approvePayment: 'Approuver un paiement',
  stopped: 'Ce paiement n’a pas abouti',
  onItsWay: 'En route',
  confirmed: 'Confirmé',
  ownWindow: {
    opened: 'Continue dans la fenêtre que nous avons ouverte.',
    closed: 'La fenêtre a été fermée. Tu peux la rouvrir.',
  },
};

const ROLES = { admin: 'administrateur', developer: 'développeur', viewer: 'lecteur' };

/** French, with the informal “tu”. Its glossary: docs/inside/words/fr.md. */
export const fr: Words = {
  ...formats,
  language: 'fr',
  name: 'Français',
  direction: 'ltr',
  quotes: ['«\u00a0', '\u00a0»'],
  gap: ' ',
  unit,
  quarters,
  frame: {
    nav: 'Tes pages',
    account: 'Compte',
    developer: 'Développeur',
    console: 'Console',
    docs: 'Docs',
    signOut: 'Déconnexion',
    footer: (brand) => `Cette page appartient à ${brand}, pas au jeu.`,
    support: 'Aide',
    language: 'Langue',
  },
  fields: {
    email: 'Adresse e-mail',
    password: 'Mot de passe',
    newPassword: 'Nouveau mot de passe',
    passwordRules: (least) =>
      `Utilise au moins ${least} caractères. Évite ton nom, ton adresse e-mail et les mots de passe courants. Quelques mots sans rapport conviennent bien.`,
    copy: (what) => `Copier ${what}`,
    atMost,
    step: (step, of) => `Étape ${step} sur ${of}`,
  },
  messages: {
    notFound: {
      title: 'Page introuvable',
      text: 'Le lien est peut-être incomplet, trop ancien, ou destiné à quelqu’un d’autre.',
    },
    expired: { title: shared.expired, text: 'Elle est restée ouverte trop longtemps. Recommence.' },
    foreignForm: {
      title: 'Cela ne venait pas de notre page',
      text: 'Rien n’a changé. Si c’était toi, ouvre à nouveau la page et réessaie là.',
    },
    frozen: { title: 'Ton compte est gelé', text: 'Tu ne peux pas changer cela tant que ton compte est gelé.' },
    suspended: {
      title: 'Ce jeu est suspendu',
      text: 'Pour l’instant, tu ne peux pas le payer ni lui donner accès. Tes quarters restent à toi.',
    },
    role: { title: 'Ton rôle ne le permet pas' },
    tooMany: { title: 'Trop de tentatives', text: 'Attends, puis réessaie.' },
    tooManyInLine: (wait) => `Trop de tentatives. ${wait}`,
    tooManyFiles: {
      title: 'Trop de téléchargements à la fois',
      text: (most) =>
        `Tu peux télécharger ${most} fichiers à la fois. Attends que l’un d’eux soit terminé, puis réessaie.`,
    },
    badForm: {
      title: 'Nous n’avons pas pu lire cela',
      text: 'Rien n’a changé. Reviens en arrière, vérifie ce que tu as saisi et réessaie.',
    },
    busy: { title: 'Le service est très sollicité', text: 'Réessaie dans un instant.' },
    unknown: {
      title: 'Nous ne savons pas encore si cela a abouti',
      text: 'Vérifie dans un instant avant de réessayer.',
    },
    broken: { title: shared.broken, text: 'L’erreur a été enregistrée. Réessaie dans un instant.' },
    foreignCall: 'Cela ne venait pas de notre page. Rien n’a changé.',
    account: 'Aller à ton compte',
    backToGame: (game) => html`Retour à ${game}`,
    canGoBack: (game) => html`Tu peux retourner à ${game}.`,
    answered: 'Tu as répondu. Continue dans le jeu.',
    continueInGame: 'Continue dans le jeu.',
  },
  reasons: {
    'email-missing': () => 'Saisis ton adresse e-mail.',
    'email-too-long': atMost,
    'email-malformed': () => 'Saisis une adresse e-mail valide.',
    'email-unchanged': () => 'C’est déjà ton adresse.',
    'name-unusable': (most) => `Utilise de 1 à ${number(most)} caractères visibles.`,
    'password-too-short': (least) => `Utilise au moins ${number(least)} caractères.`,
    'password-too-long': atMost,
    'password-own': () => 'Il ressemble trop à ton nom ou à ton adresse e-mail. Choisis autre chose.',
    'password-common': () => 'Ce mot de passe est trop facile à deviner. Essaie quelques mots sans rapport.',
    'password-wrong': () => 'Ce n’est pas ton mot de passe actuel.',
    'passkey-late': () => 'Cela a pris trop de temps. Réessaie.',
    'passkey-unverified': () => 'Nous n’avons pas pu vérifier cette clé d’accès. Essaies-en une autre.',
    'passkey-not-added': (most) => `Tu l’as déjà ajoutée, ou tu as déjà ${number(most)} clés d’accès.`,
    'passkey-not-theirs': () => 'Cette clé d’accès n’a pas permis de confirmer que c’est toi. Réessaie.',
    'code-needed': () => 'Saisis d’abord le code que nous t’envoyons par e-mail.',
    'passkey-young': () =>
      'Cette clé d’accès est trop récente pour confirmer une adresse. Utilises-en une plus ancienne.',
    'passkey-needed': () =>
      'Tu fais partie des opérateurs. Connecte-toi avec une clé d’accès pour en ajouter une autre.',
    'limit-out-of-range': (most) => `Saisis un nombre entier de 1 à ${number(most)}.`,
    'limit-above-day': () => 'Cela ne peut pas dépasser le maximum par jour.',
    'amount-unusable': () => 'Saisis un nombre entier, 1 ou plus.',
    'address-unusable': () =>
      'Saisis une adresse Ethereum complète, avec les majuscules et les minuscules comme ton portefeuille les montre.',
    'address-elsewhere': (_, theirs = '', ours = '') =>
      `C’est une adresse du réseau ${theirs}, alors que les quarters sont sur le réseau ${ours}. Ajoute une adresse à toi sur ce réseau.`,
    'address-more': () => 'Colle seulement l’adresse : elle commence par 0x et rien ne la suit.',
    'address-ours': () => 'Cette adresse appartient à ce service. Pour payer quelqu’un ici, passe par un jeu.',
    'address-known': () => 'Tu as déjà cette adresse.',
    'addresses-full': (most) => `Tu as ${number(most)} adresses. Retires-en une d’abord.`,
    'address-not-ready': () => 'Cette adresse n’est pas prête. Recharge la page et choisis-en une autre.',
    'withdrawal-above-free': (most) => `Tu peux retirer au plus ${quarters(most)} maintenant.`,
    'withdrawal-above-day': (most) => `Ta limite sur 24 heures permet encore ${quarters(most)} au plus.`,
    'withdrawal-above-all': () =>
      'Beaucoup a déjà été retiré aujourd’hui. Essaie un montant plus petit, ou réessaie demain.',
    'withdrawal-stale': () => 'Cette page n’est plus à jour. Recharge-la, et vérifie si ton retrait est dans la liste.',
    wait: () => 'Attends un instant, puis réessaie.',
    'wait-minutes': (minutes) => `Attends ${waitingTime(minutes)}, puis réessaie.`,
    'wait-up-to-an-hour': () => 'Attends jusqu’à une heure, puis réessaie.',
    'wait-up-to-a-day': () => 'Attends jusqu’à un jour, puis réessaie.',
    'too-many-streams': () => 'Tu as trop de pages de paiement ouvertes. Fermes-en quelques-unes et réessaie.',
  },
  otherWays: 'Tu peux encore utiliser une clé d’accès, ou un navigateur où tu t’es déjà connecté.',
  stopped: {
    ask: (brand) => `Contacte ${brand} pour en savoir plus.`,
    account: {
      title: 'Ton compte est gelé',
      limits:
        'Tu ne peux pas dépenser de quarters, ni changer ton adresse e-mail, ton mot de passe ou tes clés d’accès, ni fermer ton compte.',
      rest: 'Tu peux encore recevoir des quarters, refuser des paiements, déconnecter des jeux et télécharger tes données.',
    },
    payment: {
      'account-frozen': 'Ton compte est gelé. Tu ne peux donc pas approuver cela.',
      'app-suspended': 'Ce jeu est suspendu. Tu ne peux donc pas approuver cela.',
    },
    errors: {
      'account-frozen': 'Le compte du joueur est gelé.',
      'app-suspended': 'Le jeu est suspendu.',
    },
  },
  passkeys: { unnamed: 'Clé d’accès' },
  browsers: {
    unknown: 'Navigateur inconnu',
    on: (browser, system) => `${browser} sur ${system}`,
  },
  signUp: {
    title: 'Crée ton compte',
    lead: (brand) =>
      `Un seul compte pour tous les jeux qui utilisent ${brand}. Nous envoyons d’abord un code à ton adresse e-mail.`,
    send: 'Envoyer un code',
    haveAccount: (link) => html`Tu as déjà un compte ? ${link}`,
    codeTitle: 'Saisis ton code',
    codeSent: (email, minutes) => html`Nous l’avons envoyé à ${email}. Il expire dans ${minutesLong(minutes)}.`,
    code: 'Code',
    continue: 'Continuer',
    sendAgain: 'Envoyer un nouveau code',
    checkSpam: 'Rien reçu ? Regarde dans les indésirables.',
    mailIn: (folder) =>
      html`Aucun serveur de messagerie n’est configuré. Le message se trouve dans ${folder} et dans le journal du service.`,
    otherEmail: 'Utiliser une autre adresse',
    wrongCode: 'Code incorrect ou expiré. Réessaie ou demande-en un nouveau.',
    mailRefused: (email) =>
      html`Notre dernier message n’a pas pu être remis à ${email}. Vérifie l’adresse, ou utilises-en une autre.`,
    finishTitle: 'Nom et mot de passe',
    name: 'Nom',
    nameHint: 'Les jeux l’affichent. Un surnom suffit.',
    finish: 'Terminer',
    takenTitle: 'Tu as déjà un compte',
    taken: (email) => html`Il utilise ${email}. Rien n’a changé.`,
  },
  signIn: {
    title: 'Se connecter',
    again: 'Confirme que c’est toi',
    againText: 'Connecte-toi à nouveau pour continuer.',
    kept: 'Ce que tu as saisi est conservé.',
    toGame: (game) => html`Tu continueras ensuite vers le jeu ${game}.`,
    toPay: (game, amount) => html`Le jeu ${game} te demande ${amount}. Tu décides une fois connecté.`,
    submit: 'Se connecter',
    continue: 'Continuer',
    passkey: 'Utiliser une clé d’accès',
    forgot: 'Mot de passe oublié ?',
    noAccount: (link) => html`Pas encore de compte ? ${link}`,
    create: 'Crée-en un',
    wrong: 'Adresse e-mail ou mot de passe incorrect. Réessaie.',
    tooMany: (wait, reset) => html`Trop de tentatives. ${wait} Ou bien tu peux ${reset} maintenant.`,
    newPassword: 'choisir un nouveau mot de passe',
    wrongPasskey: 'Nous ne connaissons pas cette clé d’accès. Connecte-toi autrement.',
    byLink: {
      usedTitle: 'Ce lien de connexion ne fonctionne plus',
      usedText: 'Il a été utilisé ou a expiré. Pour en obtenir un nouveau, lance ceci dans le dossier du service :',
      confirmText:
        'Lance ceci dans le dossier du service, et ouvre dans ce navigateur le lien affiché. Continue ensuite ici.',
      hint: (command) =>
        html`Pour essayer l’appli de démonstration comme son développeur, lance ${command} et ouvre le lien affiché.`,
    },
  },
  continueForm: {
    title: 'Merci, identité confirmée',
    about: (action) => `Tu allais ${action}.`,
    something: 'envoyer ce que tu as saisi',
    submit: 'Continuer',
    gone: 'Nous n’avons plus ce que tu as saisi',
    goneText: (minutes) =>
      `Nous le gardons ${minutesLong(minutes)}, et seulement jusqu’à l’envoi. Rien n’a changé. Saisis-le à nouveau.`,
    closeAccount: 'fermer ton compte',
    changeEmail: 'changer ton adresse e-mail',
    rename: 'changer ton nom affiché',
    removePasskey: 'retirer une clé d’accès',
    removePasskeys: 'retirer toutes les clés d’accès',
    removeGames: 'retirer l’accès de tous les jeux',
    removeGame: 'retirer l’accès ou la limite de dépenses d’un jeu',
    changeLimit: 'changer la limite de dépenses d’un jeu',
    endSession: 'déconnecter un autre navigateur',
    endSessions: 'déconnecter tous les autres navigateurs',
  },
  forgot: {
    title: 'Réinitialise ton mot de passe',
    lead: 'Quelle est l’adresse e-mail de ton compte ? Nous y enverrons un code.',
    remembered: (link) => html`Il t’est revenu ? ${link}`,
    newTitle: 'Choisis un nouveau mot de passe',
    newText: `Tu seras déconnecté partout. ${shared.keptAccess}`,
    submit: 'Enregistrer',
  },
  signOut: {
    title: 'Se déconnecter ?',
    signedInAs: (email) => html`Tu es connecté avec ${email}.`,
    access: (link) => html`Les jeux gardent l’accès que tu leur as donné ; tu peux le retirer sur ${link}.`,
    yourAccount: 'la page de ton compte',
    submit: 'Se déconnecter',
    stay: 'Rester connecté',
    done: 'Tu es déconnecté',
  },
  guest: {
    title: 'Garde ton compte',
    lead: (game, brand) =>
      html`Tu joues à ${game} en invité. Ajoute une adresse e-mail et un mot de passe pour utiliser ce compte sur tous tes appareils et dans tous les jeux qui utilisent ${brand}.`,
    balance: 'Solde',
    account: 'Compte',
    guest: 'Invité',
    kept: 'Tu gardes aussi ton historique. Ensuite, le jeu a besoin de ton accord ou d’une limite de dépenses pour dépenser tes quarters.',
    finishText:
      'Le jeu verra ce nom, ton adresse e-mail et ton solde, et pourra te demander des quarters. Tu peux retirer son accès sur la page de ton compte.',
    passkey: 'Utiliser une clé d’accès',
    takenTitle: 'Cette adresse a déjà un compte',
    taken: (email) => html`${email} a déjà un compte. Connecte-toi à ce compte pour jouer avec.`,
    canMove: (balance) => `Ton compte invité a ${balance}. Tu peux transférer ce solde vers ce compte.`,
    signInAndMove: 'Se connecter et transférer',
    signInToIt: 'Se connecter à ce compte',
    orElse: 'Ou garde les deux comptes séparés',
    keepPlaying: (guest) => `Pour continuer à jouer en tant que ${guest}, ferme cette page. Rien n’a changé.`,
    otherEmail: 'Pour donner à cet invité son propre compte, utilise une autre adresse e-mail :',
    merge: {
      title: 'Transfère tes quarters',
      asks: (balance) => `Transférer ${balance} vers ce compte ?`,
      asksEmpty: 'Jouer avec ce compte ?',
      lead: (balance, game) =>
        html`Transfère ${balance} de ton compte invité dans ${game} vers ce compte. Le compte invité se ferme ensuite.`,
      leadEmpty: (game) =>
        html`Ton compte invité dans ${game} n’a pas de quarters. Il se ferme, et tu continues avec ce compte.`,
      from: 'De',
      to: 'Vers',
      can: (game) => html`${game} utilise ensuite ce compte. Il peut :`,
      ends: 'Les paiements approuvés seront effectués. Les demandes non approuvées et les limites de dépenses prennent fin avec le compte invité.',
      submit: 'Transférer et fermer',
      submitEmpty: 'Fermer et continuer',
      final: 'C’est définitif. Pour garder ton compte invité, ferme cette page.',
    },
    otherAccount: {
      title: 'Tu es connecté à un autre compte',
      text: (signedInAs, proved) =>
        html`Tu es connecté avec ${signedInAs}, mais tu as confirmé ${proved}. Déconnecte-toi, reviens en arrière et ouvre à nouveau cette page. Rien n’a changé.`,
    },
    noGuest: {
      'already-full': {
        title: 'Ton compte invité est maintenant un vrai compte',
        text: 'Connecte-toi, ou retourne au jeu et connecte-toi là-bas.',
      },
      merged: {
        title: 'Ton compte invité a été transféré vers ton compte',
        text: 'Ses quarters y sont, et le compte invité est fermé. Connecte-toi, ou retourne au jeu et connecte-toi là-bas.',
      },
    },
    converted: {
      title: 'Ton compte est prêt',
      text: 'Tu gardes tes quarters et ton historique. À partir de maintenant, connecte-toi avec ton mot de passe ou ta clé d’accès.',
    },
    merged: {
      title: 'Tu joues maintenant avec ton compte',
      text: 'Ton compte invité est fermé. Ses quarters arrivent sur ton compte dans un instant.',
    },
    stillGuest: 'Rien n’a changé : tu es toujours invité. Retourne au jeu et réessaie.',
    faults: {
      'unknown-app': { title: shared.unknownGame, text: 'Le lien ne nomme pas de jeu enregistré (client_id).' },
      'no-token': { title: shared.linkIncomplete, text: 'Il ne dit pas quel invité tu es (token).' },
      'dead-token': {
        title: 'Ce lien a expiré',
        text: 'Sa clé d’invité est inconnue ou trop ancienne. Rien n’a changé. Retourne au jeu et réessaie.',
      },
      'foreign-token': {
        title: 'Cet invité appartient à un autre jeu',
        text: 'La clé d’invité du lien est celle d’un autre jeu. Rien n’a changé. Ouvre cette page depuis le jeu où tu es invité.',
      },
      'page-token': {
        title: 'Le jeu a envoyé la mauvaise clé',
        text: 'Son lien a une clé qui n’ouvre que des paiements (firebase_token). Cette page a besoin de l’access_token de l’invité.',
      },
      'wrong-parameters': {
        title: shared.openedIncorrectly,
        text: 'Son lien doit contenir response_type=code et inline=true.',
      },
      'redirect-not-registered': {
        title: shared.wrongAddress.title,
        text: 'Il voulait t’envoyer à une adresse qu’il n’a pas enregistrée (redirect_uri). Nous avons donc interrompu l’opération.',
      },
      'no-challenge': {
        title: shared.linkIncomplete,
        text: 'Ce jeu ne peut pas garder de secret. Son lien doit donc contenir un code_challenge.',
      },
      'wrong-challenge': {
        title: shared.openedIncorrectly,
        text: 'Le code_challenge de son lien doit avoir 43 caractères et utiliser la méthode S256.',
      },
      'state-too-long': { title: shared.linkTooLong, text: 'Son state dépasse 2000 caractères.' },
      'app-suspended': {
        title: 'Ce jeu est suspendu',
        text: 'Ses invités ne peuvent pas créer de compte pour l’instant. Tes quarters restent à toi.',
      },
    },
  },
  consent: {
    title: 'Autoriser un jeu à utiliser ton compte',
    asks: (brand) => `demande à utiliser ton compte ${brand}`,
    can: 'Si tu l’autorises, il peut :',
    scopes: {
      openid: 'te reconnaître',
      profile: 'voir ton nom affiché',
      email: 'voir ton adresse e-mail',
      wallet: 'voir ton compte, son solde et tes récompenses',
      requests: 'te demander des quarters ; chaque paiement nécessite ton accord ou une limite de dépenses',
    },
    choose: 'Choisis un compte',
    otherAccount: 'Utiliser un autre compte',
    signedInAs: 'Connecté en tant que',
    notYou: 'pas toi ?',
    continueTo: 'Tu continueras vers',
    toGame: 'le jeu',
    toApp: (scheme) => `une appli de cet appareil (${scheme})`,
    allow: 'Autoriser',
    refuse: 'Ne pas autoriser',
    revocable: 'Tu peux retirer cet accès à tout moment sur la page de ton compte.',
  },
  authorization: {
    signIn: 'Se connecter',
    asks: 'te demande de te connecter',
    open: (brand) => `Se connecter avec ${brand}`,
    done: 'Tu es connecté',
    refused: 'Tu n’as pas autorisé l’accès',
    failed: 'Tu n’es pas connecté au jeu',
    nothingShared: 'Rien n’a été partagé.',
    errors: {
      access_denied: 'Le joueur ne l’a pas autorisé.',
      server_error: 'Un problème est survenu chez nous.',
    },
    unknownGame: {
      title: shared.unknownGame,
      text: 'Le jeu qui t’a envoyé ici n’est pas enregistré. Rien n’a été partagé avec lui.',
    },
    tooLong: {
      title: shared.linkTooLong,
      text: (most) =>
        `Une de ses valeurs dépasse ${most} caractères. Rien n’a été partagé avec le jeu. Retournes-y et réessaie. Si cela se reproduit, préviens son développeur.`,
    },
    wrongAddress: {
      title: shared.wrongAddress.title,
      text: `${shared.wrongAddress.text} Rien n’a été partagé.`,
    },
    expired: {
      title: shared.expired,
      text: 'Elle est restée ouverte trop longtemps, ou dans un autre navigateur. Recommence depuis le jeu.',
    },
    broken: {
      title: shared.broken,
      text: 'L’erreur a été enregistrée. Retourne au jeu et réessaie dans un instant.',
    },
    other: {
      title: 'Le jeu demande une chose que nous ne prenons pas en charge',
      text: 'Rien n’a été partagé avec lui. Retourne au jeu et réessaie. Si cela se reproduit, préviens son développeur.',
    },
    forDeveloper: (error, description) =>
      description === ''
        ? html`Pour le développeur du jeu : ${error}.`
        : html`Pour le développeur du jeu : ${error}, ${description}.`,
  },
  logout: {
    title: 'Se déconnecter',
    asks: (brand) => `te demande de te déconnecter de ${brand}`,
    question: (brand) => `Se déconnecter de ${brand} ?`,
    keptAccess: shared.keptAccess,
    open: 'Continuer la déconnexion',
    stayed: 'Tu es toujours connecté',
    wrongAddress: {
      title: shared.wrongAddress.title,
      text: `${shared.wrongAddress.text} Rien n’a changé.`,
    },
    allDone: { title: 'C’est fait', text: 'Tu peux fermer cette page ou retourner au jeu.' },
  },
  report: {
    title: 'Signaler un problème',
    question: 'Quel est le problème avec ce paiement ?',
    lead: 'Nous sommes les seuls à voir ce signalement. Ton paiement ne change pas.',
    legend: 'Choisis ce qui correspond le mieux',
    reasons: {
      'wrong-payment': 'Le montant ou le texte est incorrect',
      pretends: 'Il se fait passer pour un autre jeu, ou pour nous',
      other: 'Autre chose',
    },
    noReason: 'Choisis une raison.',
    details: 'Détails (facultatif)',
    detailsHint: (most) => `Jusqu’à ${most} caractères. N’écris pas de mots de passe ni de codes.`,
    submit: 'Envoyer',
    thanks: 'Merci',
    sent: 'Nous allons examiner ton signalement. Ton paiement n’a pas changé.',
    back: 'Retour au paiement',
  },
  scripts: {
    copy: { copied: 'Copié', byHand: 'Sélectionne le texte et copie-le' },
    ready: { early: 'Un instant, puis appuie à nouveau.' },
    localTime: { language: locale, today: 'aujourd’hui, {time}', yesterday: 'hier, {time}', otherDay: '{day}, {time}' },
    password: {
      show: 'Afficher',
      hide: 'Masquer',
      short: 'Trop court',
      long: 'Trop long',
      own: 'Trop proche de ton nom ou de ton adresse e-mail',
      weak: 'Faible',
      good: 'Bon',
      strong: 'Très bon',
    },
    passkey: {
      exists: 'Tu y as déjà une clé d’accès pour ce compte.',
      notUsed: 'Aucune clé d’accès n’a été utilisée. Tu peux réessayer.',
      failed: 'Cela n’a pas fonctionné. Réessaie dans un instant.',
    },
    progress: {
      submitted: shared.onItsWay,
      completed: shared.confirmed,
      failed: 'Une partie a peut-être été payée ; le reste t’a été rendu.',
      failedTitle: shared.stopped,
      failedSentence: 'Tu l’as approuvé, mais il a été interrompu.',
      slow: 'Le réseau est lent en ce moment. Ton accord est enregistré, et tu peux fermer cette page.',
    },
    ownWindow: shared.ownWindow,
    firstWindow: { lost: 'Continue dans le jeu', lostText: 'Tu peux fermer cette fenêtre.' },
    busy: { offline: 'Pas de connexion. Rien n’a été envoyé. Vérifie ta connexion, puis réessaie.' },
    quarters: {
      approve: shared.approvePayment,
      signUp: 'Garde tes quarters',
      close: 'Fermer',
      loading: 'Chargement…',
      unreachable: 'Nous ne pouvons pas afficher cette page ici.',
      open: 'Ouvrir dans une fenêtre',
      show: 'Afficher la fenêtre',
      opened: shared.ownWindow.opened,
      closedWindow: shared.ownWindow.closed,
      blockedWindow: 'Ton navigateur a bloqué la fenêtre. Autorise les pop-ups de ce site, puis réessaie.',
    },
  },
  branding: {
    verified: 'Jeu vérifié',
    unverified: 'Jeu non vérifié',
    misleading: 'Jeu non vérifié au nom trompeur',
    unnamed: 'Jeu sans nom',
  },
  home: {
    heading: 'Tes quarters, dans tous les jeux',
    lead: (brand) =>
      `Gagne des quarters dans un jeu et dépense-les dans un autre. ${brand} les garde dans un seul compte.`,
    payment: {
      heading: 'Comment fonctionne un paiement',
      asks: { label: 'Le jeu demande', about: 'Tu vois le jeu, le montant et à quoi il sert.' },
      approve: {
        label: 'Tu approuves',
        about:
          'Rien n’est prélevé sur ton compte sans te demander, sauf dans une limite de dépenses. Tu peux la réduire ou la retirer.',
      },
      account: { label: 'Tout est enregistré', about: 'Ton compte montre chaque paiement.' },
    },
    developers: {
      heading: 'Pour les développeurs de jeux',
      register: { label: 'Enregistrer un jeu', about: 'Obtiens un compte et des clés' },
      tour: { label: 'Visite', about: 'Fais un paiement avec curl' },
      docs: { label: 'Documentation', about: 'Des guides, et chaque appel avec des exemples' },
      script: { label: 'Script de navigateur', about: 'Demande des paiements dans un iframe ou une fenêtre' },
    },
  },
  liabilities: {
    title: 'Ce que possèdent les joueurs',
    intro: (brand) =>
      html`De temps en temps, ${brand} publie combien de quarters tous les joueurs et les jeux possèdent ensemble. Qui a un compte peut vérifier que les siens sont comptés.`,
    none: 'Rien n’est encore publié.',
    latest: 'Dernière publication',
    block: 'Bloc',
    published: 'Publié',
    accounts: 'Comptes',
    balances: 'Dans les comptes',
    rewards: 'Dans les récompenses',
    treasury: 'Dans la trésorerie',
    supply: 'Quantité totale',
    token: 'Jeton',
    root: 'Racine',
    overdrawn: (count) =>
      plural(count, {
        one: '# compte a un solde négatif et compte pour 0.',
        other: '# comptes ont un solde négatif et comptent pour 0.',
      }),
    withdrawn: 'Retirée',
    withdrawnText: 'La blockchain n’a plus ce bloc. Cette publication ne dit donc rien.',
    how: 'Comment vérifier',
    account: 'la page de ton compte',
    script: 'le script',
    steps: (account, script) =>
      html`Télécharge ta preuve sur ${account}. Vérifie-la avec ${script} et un nœud Ethereum de confiance.`,
    shows: 'Ce que montre une preuve vérifiée',
    showsList: [
      'Ton solde est dans les sommes ci-dessus, au quarter près.',
      'Ton adresse sur la blockchain avait ce solde à ce bloc.',
      'Tous les comptes et la trésorerie n’avaient pas plus que la quantité totale.',
      'La trésorerie avait assez pour toutes les récompenses pas encore utilisées.',
    ],
    showsNot: 'Ce qu’elle ne montre pas',
    showsNotList: [
      'Que tout le monde est compté. Chaque joueur ne peut vérifier que sa propre entrée.',
      'Ce qui s’est passé après ce bloc.',
      'Que nous avons encore les clés des comptes. Les paiements le montrent.',
    ],
    all: 'Toutes les publications',
    file: 'Fichier',
  },
  approval: {
    title: shared.approvePayment,
    asks: 'te demande',
    message: 'Message du jeu',
    balance: 'Solde',
    balanceAfter: 'Solde après paiement',
    reward: 'Ta récompense',
    youPay: 'Tu paies',
    fromBoth: (reward, balance) => `${reward} de ta récompense, ${balance} de ton solde`,
    unconfirmed:
      'Certains de tes quarters sont encore en cours de confirmation. Ouvre ceci à nouveau depuis le jeu dans un instant.',
    missing: (missing) => html`Il te manque <strong>${quarters(missing)}</strong> pour approuver.`,
    missingThenOpen: 'Quand tu en auras assez, ouvre ceci à nouveau depuis le jeu.',
    approve: 'Approuver',
    decline: 'Refuser',
    topUp: 'Obtenir des quarters',
    topUpAt: (host) => html`Ouvre ${host}`,
    mandate: (game, once, day, until) =>
      html`Autoriser ${game} à dépenser au maximum <strong>${once} par paiement et ${day} par jour</strong> sans me demander, jusqu’au ${until}`,
    mandateByApproval: (game, once, day, until) =>
      html`Si tu approuves, ${game} pourra prélever au maximum <strong>${once} par paiement et ${day} par jour</strong> sans te demander, jusqu’au ${until}.`,
    askEveryTime: 'Me demander chaque fois',
    confirmed: 'Tu as confirmé que c’est toi. Tu peux maintenant approuver.',
    confirm: (above) => `Les paiements de plus de ${above} demandent à nouveau ton mot de passe ou ta clé d’accès.`,
    refused: {
      'insufficient-quarters': 'Tu n’as pas assez de quarters. Rien n’a été prélevé.',
      'quarters-unconfirmed': 'Cela ne peut pas encore être payé. Rien n’a été prélevé.',
      'amount-too-large': 'Ce paiement dépasse la limite actuelle. Rien n’a été prélevé.',
      'payments-suspended': 'Les paiements sont en pause. Rien n’a été prélevé. Réessaie plus tard.',
      'app-backlog-full': 'Ce jeu a trop de paiements en cours. Rien n’a été prélevé. Réessaie dans un instant.',
      overloaded: 'Le service est très sollicité. Rien n’a été prélevé. Réessaie dans un instant.',
    },
    review: 'Voir le paiement',
    waiting: 'Un paiement t’attend',
  },
  account: {
    title: 'Ton compte',
    back: 'Ton compte',
    balance: 'Solde',
    reserved: (amount) => html`Réservé pour des paiements en cours : ${amount}`,
    reward: (amount) => `Récompense de ${amount}, utilisée automatiquement pour ton prochain paiement`,
    recentActivity: 'Activité récente',
    allActivity: 'Toute l’activité',
    games: 'Jeux',
    connectedGames: 'Jeux connectés',
    gameCount: (count) => (count === 0 ? 'Aucun pour l’instant' : plural(count, { one: '# jeu', other: '# jeux' })),
    profile: 'Profil et jeux',
    security: 'Connexion et sécurité',
    displayName: 'Nom affiché',
    email: 'Adresse e-mail',
    address: 'Adresse Ethereum',
    viewOnExplorer: 'Voir dans l’explorateur de blocs',
    password: 'Mot de passe',
    changePassword: 'Changer ton mot de passe',
    passkeys: 'Clés d’accès',
    passkeyCount: (count) => (count === 0 ? 'Aucune pour l’instant' : plural(count, { one: '# clé', other: '# clés' })),
    sessions: 'Où tu es connecté',
    sessionCount: (count) =>
      count === 1
        ? 'Ici seulement'
        : plural(count - 1, { one: 'Ici et dans # autre navigateur', other: 'Ici et dans # autres navigateurs' }),
    operation: 'Exploitation',
    console: 'Console des opérateurs',
    consoleHint: 'Économie, état et actions',
    data: 'Tes données',
    exportActivity: 'Télécharger l’activité',
    exportProfile: 'Télécharger ton profil',
    exportFormat: 'Fichier CSV',
    proof: {
      title: 'Preuve de ton solde',
      entry: (block) => `Au bloc ${block}`,
      intro: (all) =>
        html`Tes quarters font partie ${all} que nous avons publiées. Avec ta preuve et un nœud Ethereum, n’importe qui peut le vérifier.`,
      limits: 'Elle montre ton solde à un bloc. Elle ne montre pas ce qui s’est passé après.',
      block: 'Bloc',
      published: 'Publié',
      sums: 'des sommes',
      balance: 'Ton solde alors',
      rewards: 'Tes récompenses alors',
      address: 'Ton adresse',
      root: 'Racine publiée',
      download: 'Télécharger la preuve',
      check: 'Vérifie-la',
      checkIntro: (script) =>
        html`Télécharge ta preuve et ${script}, puis lance ceci avec Node.js 20 ou plus récent. Remplace la dernière valeur par un nœud Ethereum de confiance.`,
      script: 'le script qui la vérifie',
      command: 'la commande qui vérifie ta preuve',
      compare: (all) =>
        html`Compare la racine à celle ${all}, ou à une que tu as notée plus tôt. Le script est court : tu peux d’abord le lire.`,
      path: 'Chemin vers la racine',
      pathIntro: 'Ce qui se trouve à côté de ton entrée à chaque niveau. Cela ne nomme personne.',
      none: 'Nous n’avons pas encore publié nos sommes. Ta preuve apparaîtra ici à ce moment-là.',
      younger:
        'Ton compte est plus récent que notre dernière publication. Ta preuve apparaîtra ici après la prochaine.',
    },
    closeAccount: 'Fermer ton compte',
    closeAccountNow: 'C’est définitif',
    duration: (count, of) => plural(count, TIMES[of]),
    changed: {
      name: 'Ton nom affiché a été changé.',
      email: 'Ton adresse e-mail a été changée, et tu as été déconnecté partout ailleurs.',
      password: 'Ton mot de passe a été changé, et tu as été déconnecté partout ailleurs.',
      passkeys: 'Toutes les clés d’accès ont été retirées, et tu as été déconnecté partout ailleurs.',
      games: 'Tu as été déconnecté de tous les jeux.',
      limit: 'Ta limite de dépenses a été changée.',
      withdrawal: 'Ton retrait est en route.',
      withdrawalAddress: 'L’adresse a été ajoutée.',
    },
    name: {
      title: 'Change ton nom affiché',
      label: 'Nom affiché',
      hint: 'Les jeux l’affichent. Un surnom suffit. De 1 à 40 caractères.',
      submit: 'Changer le nom',
    },
    emailChange: {
      title: 'Change ton adresse e-mail',
      intro: (address) =>
        html`Ton adresse est ${address}. Nous y enverrons un code, et un autre à la nouvelle adresse.`,
      label: 'Nouvelle adresse e-mail',
      submit: 'Envoyer les deux codes',
      taken:
        'Un autre compte utilise cette adresse. Rien n’a donc changé. Si c’est le tien, connecte-toi à ce compte et ferme-le, ou change d’abord son adresse.',
      stale: 'Cela a pris trop de temps, ou ton compte a changé entre-temps. Recommence.',
      codesTitle: 'Saisis les deux codes',
      codesIntro: (time) =>
        `Nous avons envoyé un code à six chiffres à chaque adresse. Les codes expirent dans ${time}.`,
      otherCodeTitle: 'Saisis l’autre code',
      otherCodeIntro: (time) => `L’autre code expire dans ${time}.`,
      codeSentTo: (address) => `Code envoyé à ${address}`,
      codeCorrect: (address) => html`Le code envoyé à ${address} est correct.`,
      codeWrong: 'Code incorrect ou expiré.',
      codeRefused: 'Notre message n’a pas pu être remis à cette adresse. Son code n’arrivera donc pas.',
      confirm: 'Changer l’adresse',
      restart: 'Recommencer',
    },
    passwordChange: {
      title: 'Change ton mot de passe',
      intro: 'Tu seras déconnecté partout ailleurs. Les jeux gardent l’accès que tu leur as donné.',
      current: 'Mot de passe actuel',
      next: 'Nouveau mot de passe',
      submit: 'Changer le mot de passe',
      withPasskey: 'Utiliser une clé d’accès',
      forgotten: 'Mot de passe actuel oublié ?',
    },
    passkeyList: {
      intro:
        'Connecte-toi avec ton empreinte, ton visage ou le verrouillage de l’écran. Elle te protège de l’hameçonnage.',
      yours: 'Tes clés d’accès',
      none: 'Pas encore de clé d’accès.',
      used: (added, used) => html`Ajoutée le ${added} ; utilisée pour la dernière fois le ${used}`,
      unused: (added) => html`Ajoutée le ${added} ; pas encore utilisée`,
      remove: 'Retirer',
      removeNamed: (name) => `Retirer ${name}`,
      removeAll: 'Retirer toutes les clés',
      removeAllHint:
        'Si tu retires toutes les clés, tu seras aussi déconnecté partout ailleurs. Tu pourras ensuite rajouter les tiennes.',
      add: 'Nouvelle clé d’accès',
      full: (most) => `Tu as ${most} clés d’accès. Retires-en une pour en ajouter une autre.`,
      unsupported: 'Il faut JavaScript et un navigateur qui prend en charge les clés d’accès.',
      label: 'Nom',
      hint: 'Pour la reconnaître, par exemple « Téléphone ».',
      submit: 'Ajouter une clé d’accès',
      nameless: 'Saisis un nom.',
      prove: (address) =>
        html`Tu t’es connecté avec ton mot de passe. Avant d’ajouter une clé d’accès, saisis un code que nous enverrons à ${address}.`,
      proveWithPasskey: 'Utiliser une clé d’accès que tu as déjà',
      stop: {
        title: 'Retirer cette clé d’accès ?',
        text: 'Elle ne connectera plus personne. Toutes les personnes connectées à ton compte seront déconnectées.',
        submit: 'Retirer cette clé d’accès',
        done: 'La clé d’accès est retirée',
        doneText: 'Si tu ne l’as pas ajoutée, quelqu’un connaît ton mot de passe. Choisis-en un nouveau maintenant.',
        gone: 'Ce lien ne fonctionne plus',
        goneText:
          'La clé d’accès a été retirée, ou le lien est trop ancien. Tes clés d’accès sont sur la page de ton compte.',
      },
    },
    sessionList: {
      intro: (changePassword) => html`Tu n’en reconnais pas un ? Déconnecte-le, puis ${changePassword}.`,
      changePassword: 'change ton mot de passe',
      here: 'Ce navigateur',
      lastUsed: (time) => html`Dernière utilisation : ${time}`,
      signedIn: (time, how) => html`Connexion avec ${how} : ${time}`,
      byPasskey: 'une clé d’accès',
      byPassword: 'ton mot de passe',
      byCode: 'un code reçu par e-mail',
      signOut: 'Déconnecter',
      signOutOf: (browser) => `Déconnecter ${browser}`,
      signOutElsewhere: 'Déconnecter partout ailleurs',
      limits: (idle, days, endAccess) =>
        html`Tu es déconnecté après ${idle} sans utilisation, et ${plural(days, TIMES.day)} après la connexion. Les jeux peuvent rester connectés jusqu’à ce que tu ${endAccess}.`,
      endAccess: 'retires leur accès',
    },
    gameList: {
      title: 'Jeux connectés',
      intro:
        'Ces jeux ont accès à ton compte. Les changements s’appliquent tout de suite. Les paiements passés restent payés.',
      none: 'Aucun jeu n’a accès à ton compte.',
      noneHint: 'Un jeu apparaît ici dès que tu t’y connectes.',
      since: (day) => html`Depuis le ${day}, il peut :`,
      limit: (most, until) => html`Limite de dépenses : au maximum ${most} sans te demander, jusqu’au ${until}.`,
      limitAmounts: (atATime, aDay) => `${atATime} par paiement et ${aDay} par jour`,
      used: (spent, most) => `Dépensé aujourd’hui (UTC) : ${spent} sur ${most}`,
      changeLimit: 'Changer la limite',
      askEveryTime: 'Me demander chaque fois',
      disconnect: 'Déconnecter',
      activity: 'Activité',
      changeLimitOf: (game) => `Changer la limite de « ${game} »`,
      askEveryTimeFor: (game) => `Me demander chaque fois pour « ${game} »`,
      disconnectFrom: (game) => `Déconnecter de « ${game} »`,
      activityOf: (game) => `Activité de « ${game} »`,
      all: 'Tous les jeux',
      signOutHint:
        'Se déconnecter met fin à leur accès et à leurs limites de dépenses. Chaque jeu te redemandera à la prochaine connexion.',
      signOutOfAll: 'Déconnecter tous les jeux',
    },
    limitChange: {
      title: 'Ta limite de dépenses',
      intro:
        'Jusqu’à ces montants, le jeu prélève sans te demander. Approuver un paiement n’augmente pas les montants que tu baisses.',
      perPayment: 'Maximum par paiement',
      perDay: 'Maximum par jour (UTC)',
      most: (most) => `Jusqu’à ${most}.`,
      submit: 'Enregistrer',
    },
    withdrawals: {
      title: 'Retirer des quarters',
      entry: 'Vers ta propre adresse Ethereum',
      intro:
        'Envoie des quarters vers une adresse Ethereum à toi. Un retrait est définitif, et nous ne pouvons pas l’annuler.',
      now: 'Disponible pour un retrait',
      held: (amount) => `Réservé pour des paiements : ${amount}`,
      young: (amount) => `Reçu il y a peu et pas encore définitif : ${amount}`,
      dayLimit: (left, limit) => `Reste de ta limite sur 24 heures : ${left} sur ${limit}`,
      limitOfAll: (left) => `Reste de la limite pour tous les joueurs : ${left}`,
      to: 'Vers',
      amount: 'Montant en quarters',
      submit: 'Retirer par clé d’accès',
      noneReady: 'Tu pourras retirer dès qu’une de tes adresses sera prête.',
      needsPasskey: (link) => html`Seule une clé d’accès peut confirmer un retrait. D’abord, ${link}.`,
      addPasskey: 'ajoute une clé d’accès',
      addresses: 'Tes adresses',
      none: 'Tu n’as pas encore ajouté d’adresse.',
      readyFrom: (time) => html`Prête à partir de : ${time}`,
      announcing: (wait) => `Prête ${wait} après la remise de notre e-mail à son sujet`,
      ready: 'Prête',
      stopped: 'Bloquée. Rien ne peut y être envoyé.',
      remove: 'Retirer',
      removeNamed: (address) => `Retirer ${address}`,
      withPasskey: 'Si tu retires une clé d’accès, les adresses que tu as confirmées avec elle sont retirées aussi.',
      add: 'Ajouter une adresse',
      wait: (wait) => `Tu pourras utiliser une nouvelle adresse après ${wait}. Nous t’enverrons un lien qui la bloque.`,
      shortWait: (wait, usual) => `En développement, tu attends ${wait} au lieu de ${usual}.`,
      youngPasskey: (time) =>
        html`Ta clé d’accès est nouvelle. Elle pourra confirmer une adresse à partir de : ${time}`,
      address: 'Adresse Ethereum',
      addressHint: 'Colle-la comme ton portefeuille la montre. Les majuscules te protègent des fautes de frappe.',
      confirm: 'Confirmer par clé d’accès',
      last: 'Dernières 24 heures',
      states: { onItsWay: shared.onItsWay, completed: 'Envoyé', failed: 'Non envoyé. Les quarters t’ont été rendus' },
      check: 'Des quarters peuvent être envoyés vers ces adresses. Si l’une n’est pas à toi, retire-la.',
      manage: 'Gérer les adresses',
      stop: {
        title: 'Bloquer cette adresse ?',
        text: 'Ensuite, rien ne pourra y être envoyé depuis ton compte :',
        submit: 'Bloquer cette adresse',
        done: 'L’adresse est bloquée',
        doneText:
          'Si tu ne l’as pas ajoutée, quelqu’un d’autre était connecté à ton compte. Choisis maintenant un nouveau mot de passe.',
        gone: 'Ce lien ne fonctionne plus',
        goneText: 'L’adresse a été retirée, ou le lien est trop ancien. Tes adresses sont sur la page de ton compte.',
      },
    },
    check: {
      title: 'Vérifie ton compte',
      allSet: 'Tout est en ordre',
      passkeys:
        'Toute personne qui a l’une de ces clés peut se connecter. Si l’une n’est pas à toi, retire-les toutes.',
      passkey: (name, day) => html`${name}, ajoutée le ${day}`,
      games: (count) => (count === 1 ? 'Ce jeu a accès à ton compte.' : 'Ces jeux ont accès à ton compte.'),
      game: (game, day) => html`${game}, depuis le ${day}`,
      goToAccount: 'Aller à ton compte',
      proceed: 'Continuer',
    },
    closing: {
      title: 'Ferme ton compte',
      ownsGames:
        'Tu ne peux pas fermer ton compte tant que des jeux t’appartiennent. Leurs joueurs et leurs paiements en dépendent.',
      handOver: (link) =>
        html`Supprime-les, ou confie-les à un administrateur de leur équipe sur ${link}. L’opérateur de ce service peut aussi les transférer.`,
      developerPages: 'les pages des développeurs',
      intro: 'C’est définitif. Quand tu fermes ton compte :',
      goesBack: (amount, one, brand) =>
        one
          ? html`Ton ${amount} retourne à l’opérateur de ${brand}.`
          : html`Tes ${amount} retournent à l’opérateur de ${brand}.`,
      nothingToLose: 'Tu n’as pas de quarters à perdre.',
      rewardLost: (amount) => `Tu perds ta récompense de ${amount}.`,
      payments:
        'Les paiements qui attendent ta réponse sont annulés. Les paiements approuvés seront effectués. Ce qui t’est payé plus tard va à l’opérateur.',
      access: 'Tous les jeux perdent l’accès à ton compte.',
      erased: 'Ton adresse e-mail, ton nom, ton mot de passe et tes clés d’accès sont effacés.',
      chain: 'Les paiements passés et l’adresse de ton compte restent pour toujours sur la blockchain.',
      exports: (activity, profile) => html`Tu veux peut-être d’abord ${activity} et ${profile}.`,
      exportActivity: 'télécharger ton activité',
      exportProfile: 'ton profil',
      confirm: 'Pour confirmer, saisis ton adresse e-mail',
      wrongAddress: 'Ce n’est pas ton adresse e-mail.',
      submit: 'Fermer définitivement',
      closed: 'Ton compte est fermé',
      closedText:
        'Tu es déconnecté. Ton adresse e-mail, ton nom, ton mot de passe et tes clés d’accès ont été effacés. Merci d’avoir joué.',
    },
  },
  activity: {
    title: 'Ton activité',
    none: 'Pas encore d’activité.',
    search: 'Rechercher',
    searchHint: 'Jeu, texte, montant',
    filter: 'Filtre',
    kinds: { all: 'Tout', payments: 'Paiements', received: 'Reçu', waiting: 'En cours', failed: 'Non payé' },
    onlyGame: (game) => html`Seulement ${game}`,
    nothingFound: 'Aucun résultat.',
    nothingFoundSoFar: 'Pas encore de résultat. Cherche dans les entrées plus anciennes.',
    clear: 'Effacer la recherche et les filtres',
    newest: 'Plus récentes',
    older: 'Plus anciennes',
    archived: (day) =>
      html`Les entrées antérieures au ${day} sont archivées. L’opérateur de ce service peut les retrouver.`,
    download: 'Télécharger toute l’activité (CSV)',
    fromOperator: (brand) => `De l’opérateur de ${brand}`,
    toOperator: (brand) => `À l’opérateur de ${brand}`,
    fromGuest: 'De ton compte invité',
    depositFrom: (address) => html`Dépôt de ${address}`,
    sentTo: (address) => html`Envoyé à ${address}`,
    received: 'Reçu',
    sent: 'Envoyé',
    transaction: 'Transaction',
    asked: {
      pending: 'Attend ta réponse',
      approved: 'Approuvé, en route',
      submitted: 'Approuvé, en route',
      completed: 'Payé',
      failed: 'Échec. Ce qui n’a pas été payé t’a été rendu',
      declined: 'Tu as refusé',
      expired: 'Expiré, rien n’a été prélevé',
      cancelled: 'Annulé, rien n’a été prélevé',
    },
    unasked: {
      approved: 'En route, dans ta limite de dépenses',
      submitted: 'En route, dans ta limite de dépenses',
      completed: 'Payé dans ta limite de dépenses',
    },
    paid: {
      approved: 'En route vers toi',
      submitted: 'En route vers toi',
      completed: 'Reçu',
      failed: 'Échec, tu n’as pas été payé',
    },
    refunded: {
      approved: 'Remboursement, en route vers toi',
      submitted: 'Remboursement, en route vers toi',
      completed: 'Remboursé',
      failed: 'Échec du remboursement, tu n’as pas été payé',
    },
  },
  mails: {
    code: (minutes) => `Il fonctionne une seule fois et expire dans ${minutesLong(minutes)}. ${shared.neverShare}`,
    neverShare: shared.neverShare,
    ignore: 'Si ce n’était pas toi, ignore ce message.',
    setPassword: 'Choisir un nouveau mot de passe',
    intruder:
      'Si ce n’était pas toi, quelqu’un d’autre est connecté à ton compte. Choisis un nouveau mot de passe pour le déconnecter :',
    notYou: 'Si ce n’était pas toi, choisis un nouveau mot de passe :',
    signUp: {
      subject: (code, brand) => `${code} est ton code ${brand}`,
      heading: (brand) => `Ton code ${brand}`,
      enter: 'Saisis ce code sur la page où tu as saisi cette adresse :',
    },
    reset: {
      subject: (code) => `${code} est ton code pour un nouveau mot de passe`,
      heading: 'Ton code pour un nouveau mot de passe',
      enter: (brand) =>
        `Quelqu’un a demandé à réinitialiser le mot de passe de ton compte ${brand}. Si c’était toi, saisis ce code :`,
      ignore: 'Si ce n’était pas toi, ignore ce message : ton mot de passe reste le même.',
    },
    noAccount: {
      subject: 'Il n’y a pas de compte avec cette adresse',
      asked: (brand) =>
        `Quelqu’un a demandé à réinitialiser le mot de passe d’un compte ${brand} avec cette adresse e-mail. Ce compte n’existe pas.`,
      create: 'Si c’était toi, essaie une autre adresse ou crée un compte :',
      createLink: 'Créer un compte',
    },
    passwordChanged: {
      subject: 'Ton mot de passe a été changé',
      elsewhere: (brand) =>
        `Le mot de passe de ton compte ${brand} vient d’être changé, et tu as été déconnecté partout ailleurs.`,
      everywhere: (brand) =>
        `Le mot de passe de ton compte ${brand} vient d’être changé, et tu as été déconnecté partout.`,
      passkeys: 'Ces clés d’accès permettent encore de se connecter à ton compte :',
      passkey: (name, day) => `« ${name} », ajoutée le ${day}`,
      games: shared.keptAccess,
      check: 'Vérifie tout ce qui peut utiliser ton compte, et retire ce qui n’est pas à toi :',
      checkLink: 'Vérifier ton compte',
      secure:
        'Si ce n’était pas toi, quelqu’un peut lire tes e-mails. Protège d’abord ta boîte mail, puis choisis un nouveau mot de passe :',
    },
    passkeys: {
      added: 'Une clé d’accès a été ajoutée',
      addedTo: (name, brand) =>
        `La clé d’accès « ${name} » vient d’être ajoutée à ton compte ${brand}. Toute personne qui l’a peut se connecter.`,
      remove: 'Si ce n’était pas toi, retire-la et choisis un nouveau mot de passe :',
      removeLink: 'Retirer cette clé d’accès',
      removed: 'Une clé d’accès a été retirée',
      removedFrom: (name, brand) =>
        `La clé d’accès « ${name} » vient d’être retirée de ton compte ${brand}. Elle ne permet plus de te connecter.`,
      allRemoved: 'Toutes les clés d’accès ont été retirées',
      allRemovedFrom: (brand) =>
        `Toutes les clés d’accès ont été retirées de ton compte ${brand}, et tu as été déconnecté partout ailleurs. Celles-ci ne permettent plus de te connecter :`,
      name: (name) => `« ${name} »`,
      codeSubject: (code) => `${code} est ton code pour ajouter une clé d’accès`,
      codeHeading: 'Ton code pour ajouter une clé d’accès',
      asked: (brand) =>
        `Quelqu’un qui est connecté à ton compte ${brand} veut ajouter une clé d’accès. Si c’était toi, saisis ce code :`,
    },
    emailChange: {
      subject: (code) => `${code} est ton code pour changer d’adresse e-mail`,
      heading: 'Ton code pour changer d’adresse e-mail',
      asked: (brand) =>
        `Quelqu’un qui est connecté à ton compte ${brand} a demandé à remplacer son adresse e-mail par :`,
      enter: 'Si c’était toi, saisis ce code :',
      second: (minutes) =>
        `Il fonctionne une seule fois et expire dans ${minutesLong(minutes)}. Nous avons envoyé un second code à la nouvelle adresse. Ne donne aucun des deux, même pas à nous.`,
      askedNew: (brand) =>
        `Quelqu’un a demandé à utiliser cette adresse e-mail pour son compte ${brand}. Si c’était toi, saisis ce code :`,
      first: (minutes) =>
        `Il fonctionne une seule fois et expire dans ${minutesLong(minutes)}. Nous avons envoyé un second code à l’adresse actuelle du compte.`,
      taken: (brand) =>
        `Cette adresse appartient déjà à un autre compte ${brand}. Elle ne peut donc pas être utilisée. Si ce compte est aussi le tien, connecte-toi d’abord à ce compte et change son adresse, ou ferme-le.`,
      changed: 'Ton adresse e-mail a été changée',
      changedTo: (brand) => `L’adresse e-mail de ton compte ${brand} vient d’être remplacée par :`,
      elsewhere:
        'Tu as été déconnecté partout ailleurs. Les messages sur le compte arrivent maintenant à la nouvelle adresse.',
      secure:
        'Si ce n’était pas toi, quelqu’un peut lire tes e-mails et est connecté à ton compte. Protège ta boîte mail, et demande de l’aide à l’opérateur de ce service.',
    },
    closed: {
      subject: 'Ton compte est fermé',
      asked: (brand) =>
        `Nous avons fermé ton compte ${brand}, comme tu l’as demandé. Tu peux utiliser cette adresse pour un nouveau compte.`,
      last: 'C’est notre dernier message à propos de ce compte.',
    },
    spendingLimit: {
      subject: (game) => `${game} peut maintenant dépenser tes quarters sans te demander`,
      limit: (game, atATime, aDay, day) =>
        `${game} peut maintenant prélever au maximum ${atATime} par paiement et ${aDay} par jour sur ton compte sans te demander, jusqu’au ${day}, car tu as déjà approuvé un paiement pour ce jeu.`,
      remove: 'Tu peux baisser ou retirer cette limite de dépenses à tout moment :',
      removeLink: 'Tes limites de dépenses',
    },
    withdrawalAddress: {
      subject: 'Une adresse de retrait a été ajoutée',
      added: (brand, wait) =>
        `Quelqu’un qui est connecté à ton compte ${brand} a ajouté cette adresse Ethereum. Dans ${wait}, des quarters pourront y être envoyés :`,
      stop: 'Si ce n’était pas toi, bloque l’adresse maintenant :',
      link: 'Bloquer l’adresse',
    },
    withdrawal: {
      subject: 'Retrait de ton compte',
      sent: (amount, brand) => `Nous envoyons ${amount} de ton compte ${brand} à cette adresse Ethereum :`,
    },
    actionWaiting: {
      subject: (action) => `Ton accord est nécessaire : ${action}`,
      asked: 'Un autre opérateur l’a demandé. Cela attend l’accord d’un second opérateur et expire après 24 heures :',
      link: 'Voir l’action',
    },
    invitation: {
      subject: (game) => `Tu es invité dans l’équipe de ${game}`,
      invited: (inviter, game, role, brand) =>
        `${inviter} t’invite à aider à gérer « ${game} » sur ${brand}. Ton rôle : ${ROLES[role]}.`,
      join: 'Connecte-toi avec cette adresse e-mail pour accepter ou refuser. Si tu n’as pas encore de compte, crées-en un avec elle :',
      link: 'Tes applis',
      expires: (days) => `L’invitation expire dans ${plural(days, TIMES.day)}.`,
    },
    appDeleted: {
      subject: (game) => `${game} a été supprimé`,
      gone: (game) => `L’appli « ${game} » vient d’être supprimée. Ses clés, jetons et webhooks ne fonctionnent plus.`,
      kept: 'Les paiements en route arrivent encore. Si ce n’était ni toi ni ton équipe, contacte l’opérateur de ce service.',
    },
    endpointDisabled: {
      subject: (game) => `Un webhook de ${game} est désactivé`,
      stopped: (game) => `Nous n’envoyons plus les événements de ${game} à :`,
      gone: 'Il a répondu 410 (Gone). Quand il fonctionnera à nouveau, active-le sur la page des développeurs :',
      failing:
        'Tous les envois ont échoué pendant trois jours. Quand il fonctionnera à nouveau, active-le sur la page des développeurs :',
      link: 'Webhooks',
      missed: 'Tu peux lire les événements manqués avec GET /v1/events pendant 30 jours.',
    },
  },
  ownWindow: {
    why: (brand) => `Pour ta sécurité, confirme dans une fenêtre de ${brand}.`,
    refused: (link) => html`Ton navigateur a bloqué la fenêtre. À la place, ${link}.`,
    thisTab: 'continue dans cet onglet',
  },
  firstWindow: { title: 'Ouverture…' },
  result: {
    transaction: (hash) => html`Transaction ${hash}`,
    paidTitle: 'Payé',
    paid: (amount) => plural(amount, { one: '# quarter payé', many: '# de quarters payés', other: '# quarters payés' }),
    paidTo: (game) => html`À ${game}`,
    alreadyPaid: (game) => html`Tu as déjà payé cela à ${game}. Rien de plus n’a été prélevé.`,
    declined: 'Refusé',
    declinedText: 'Tu as refusé ce paiement. Rien n’a été prélevé.',
    alreadyDeclined: 'Tu as déjà refusé ce paiement. Rien n’a été prélevé.',
    expired: 'Ce paiement a expiré',
    expiredText:
      'Tu n’as pas répondu à temps. Rien n’a été prélevé. Si tu veux toujours payer, recommence depuis le jeu.',
    cancelled: 'Le jeu a annulé cette demande',
    cancelledText: 'Rien n’a été prélevé. Si tu veux toujours payer, recommence depuis le jeu.',
    stopped: shared.stopped,
    stoppedText:
      'Tu l’as approuvé, mais il a été interrompu. Une partie a peut-être été payée ; le reste t’a été rendu. Si tu veux toujours payer, recommence depuis le jeu.',
    notEnough: 'Pas assez de quarters',
    notEnoughText: (missing, minutes) =>
      `Rien n’a été prélevé. Il te manque ${quarters(missing)}. Quand tu en auras assez, ouvre à nouveau ce paiement depuis le jeu. Il reste ouvert encore ${openFor(minutes)}.`,
    notApproved: 'Tu n’as pas approuvé cela',
    notApprovedText: 'Rien n’a été prélevé. Le paiement est encore ouvert.',
    notEnoughError: 'Le joueur n’a pas assez de quarters.',
    endedErrors: {
      expired: 'La demande a expiré.',
      cancelled: 'La demande a été annulée.',
      failed: 'La demande a échoué.',
    },
  },
  progress: {
    confirmed: shared.confirmed,
    onItsWay: shared.onItsWay,
    reload: 'Recharge cette page pour voir s’il est confirmé.',
  },
  approvalFailures: {
    lookAgain: shared.lookAgain,
    wrongAddress: shared.wrongAddress.title,
    wrongAddressText: `${shared.wrongAddress.text} ${shared.lookAgain}`,
    foreignText: `Un autre site a essayé de répondre pour toi. Nous avons donc interrompu l’opération. ${shared.lookAgain}`,
    notFound: 'Nous ne trouvons pas ce paiement',
    notFoundText:
      'Le lien est peut-être incomplet, ou destiné à quelqu’un d’autre. Retourne au jeu et ouvre le paiement de là.',
    busyText: 'Ouvre à nouveau le paiement dans un instant pour voir où il en est.',
    unavailable: 'Nous ne pouvons pas charger ton solde',
    unavailableText: 'Ouvre à nouveau le paiement dans une minute pour voir où il en est.',
    unknownText:
      'Ouvre à nouveau le paiement dans un instant pour voir où il en est. Ce paiement n’est jamais effectué deux fois.',
  },
};

function waitingTime(minutes: Count): string {
  if (Number(minutes) === 60) return 'une heure';
  return Number(minutes) === 24 * 60 ? 'un jour' : minutesLong(minutes);
}

function openFor(minutes: number): string {
  return minutes < 100 ? minutesLong(minutes) : plural(Math.floor(minutes / 60), TIMES.hour);
}
