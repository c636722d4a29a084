/** What is mailed when somebody changes their e-mail address. */
type Words = { readonly subject: string; readonly text: string };

export function oldAddressMail(publicUrl: string, to: string, code: string): Words {
  return {
    subject: `${code} is your code to change your e-mail address`,
    text: `Somebody who is signed in to your Quarters account, most likely you, wants to change its e-mail address to

    ${to}

The code for this address is

    ${code}

It works for ten minutes, and once. A second code went to the new address. Nobody from Quarters or from a game will ever ask you for either.

If it was not you, somebody else is signed in to your account. Set a new password, which signs them out:

    ${publicUrl}/forgot`,
  };
}

/** `taken`: it is the address of another account, which only its owner may learn. */
export function newAddressMail(code: string, taken: boolean): Words {
  const outlook = taken
    ? `This address already belongs to another Quarters account, so the change can not be made. If that account is yours too, you can sign in to it, change its address or close it first.`
    : `It works for ten minutes, and once. A second code went to the present address of that account.`;
  return {
    subject: `${code} is your code to change your e-mail address`,
    text: `Somebody, most likely you, wants to use this e-mail address for their Quarters account. The code for this address is

    ${code}

${outlook}

If it was not you, there is nothing you need to do. Nobody from Quarters or from a game will ever ask you for the code.`,
  };
}

export function noticeMail(to: string): Words {
  return {
    subject: 'Your e-mail address was changed',
    text: `The e-mail address of your Quarters account was changed just now. It is now

    ${to}

You were signed out everywhere but where you changed it. Mails about the account go to the new address from now on.

If it was not you, somebody can read your mail and is signed in to your account. Secure your mailbox, and ask the operator of this service for help.`,
  };
}
