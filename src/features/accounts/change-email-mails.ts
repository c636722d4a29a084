/** The mails sent when somebody changes their e-mail address. */
type Words = { readonly subject: string; readonly text: string };

export function oldAddressMail(publicUrl: string, to: string, code: string): Words {
  return {
    subject: `${code} is your code to change your e-mail address`,
    text: `Somebody signed in to your Quarters account asked to change its e-mail address to

    ${to}

If it was you, enter this code:

    ${code}

It works once and expires in 10 minutes. We sent a second code to the new address. Never share either, not even with us.

If it wasn’t you, somebody else is signed in to your account. Set a new password to sign them out:

    ${publicUrl}/forgot`,
  };
}

/** `taken`: the address belongs to another account, which only its owner may learn. */
export function newAddressMail(code: string, taken: boolean): Words {
  const outlook = taken
    ? `This address already belongs to another Quarters account, so it cannot be used. If that account is yours too, first sign in to it and change its address or close it.`
    : `It works once and expires in 10 minutes. We sent a second code to the account’s current address.`;
  return {
    subject: `${code} is your code to change your e-mail address`,
    text: `Somebody asked to use this e-mail address for their Quarters account. If it was you, enter this code:

    ${code}

${outlook}

Never share it, not even with us. If it wasn’t you, ignore this e-mail.`,
  };
}

export function noticeMail(to: string): Words {
  return {
    subject: 'Your e-mail address was changed',
    text: `The e-mail address of your Quarters account was just changed to

    ${to}

You were signed out everywhere else. E-mails about the account now go to the new address.

If it wasn’t you, somebody can read your e-mail and is signed in to your account. Secure your mailbox, and ask the operator of this service for help.`,
  };
}
