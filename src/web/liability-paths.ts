export const LIABILITIES_PATH = '/liabilities';
/** The script that checks a proof, as everybody downloads it. */
export const VERIFIER_PATH = `${LIABILITIES_PATH}/verify-liability.mjs`;
