/** The accent's own colours in light and dark: CSS custom properties. */
export type Theme = { readonly light: AccentRoles; readonly dark: AccentRoles };

type AccentRoles = {
  /** The fill of the coin and of the one button that matters. */
  readonly accent: string;
  /** The same under a pointer. */
  readonly over: string;
  /** The same while the button takes no click yet. */
  readonly idle: string;
  /** Text on all three. */
  readonly on: string;
  /** The accent as a thin mark on a card, such as a tick or a bar. */
  readonly ink: string;
};

type Colour = readonly [red: number, green: number, blue: number];

const BLACK: Colour = [0, 0, 0];
const WHITE: Colour = [255, 255, 255];
/** Text on an accent. The dark one is a little warm, as the ink of the pages is. */
const DARK_TEXT: Colour = [29, 22, 8];
/** `--card` of page.css. */
const CARDS = { light: WHITE, dark: [26, 28, 31] } as const satisfies Record<string, Colour>;

/** For a mark that is not text (WCAG 2.2, success criterion 1.4.11). */
const MARK_CONTRAST = 3;
/** For text (1.4.3). */
const TEXT_CONTRAST = 4.5;

/**
 * Derives what pages need from an operator's accent, `#rrggbb`, so that any colour can be read: the text on it is dark or white, and
 * where the accent is a mark on a card it moves towards black or white until it stands out.
 */
export function themeOf(accent: string): Theme {
  const colour = colourOf(accent);
  return { light: rolesOn('light', colour), dark: rolesOn('dark', colour) };
}

function rolesOn(scheme: keyof typeof CARDS, given: Colour): AccentRoles {
  const card = CARDS[scheme];
  const away = scheme === 'light' ? BLACK : WHITE;
  // On a dark card, a dark fill would be a hole. On a white card even a pale one is held by its text.
  const accent = scheme === 'dark' ? movedUntil(given, away, (one) => contrast(one, card) >= MARK_CONTRAST) : given;
  const on = contrast(accent, DARK_TEXT) >= contrast(accent, WHITE) ? DARK_TEXT : WHITE;
  const ground = on === WHITE ? BLACK : WHITE;
  // Not every middle grey lets dark or white text reach the contrast.
  const readable = movedUntil(accent, ground, (one) => contrast(one, on) >= TEXT_CONTRAST);
  return {
    accent: hexOf(readable),
    // Both away from the text, so that the contrast grows.
    over: hexOf(mixed(readable, ground, 0.14)),
    idle: hexOf(mixed(readable, ground, 0.6)),
    on: hexOf(on),
    ink: hexOf(movedUntil(given, away, (one) => contrast(one, card) >= TEXT_CONTRAST)),
  };
}

/** The first of twenty steps towards `target` that is good. The last one is `target` itself. */
function movedUntil(colour: Colour, target: Colour, isGood: (colour: Colour) => boolean): Colour {
  for (let step = 0; step < 20; step++) {
    const moved = mixed(colour, target, step / 20);
    if (isGood(moved)) return moved;
  }
  return target;
}

function mixed(a: Colour, b: Colour, share: number): Colour {
  const part = (i: 0 | 1 | 2) => Math.round(a[i] + (b[i] - a[i]) * share);
  return [part(0), part(1), part(2)];
}

function colourOf(hex: string): Colour {
  const [red = 0, green = 0, blue = 0] = Buffer.from(hex.slice(1), 'hex');
  return [red, green, blue];
}

function hexOf(colour: Colour): string {
  return `#${Buffer.from(colour).toString('hex')}`;
}

/** From 1 to 21 (WCAG 2.2, contrast ratio). */
export function contrast(a: Colour, b: Colour): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** WCAG 2.2, relative luminance. */
function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
