// Short tones, and silence until the player switches them on.

const TONES = {
  flip: { from: 320, to: 480, seconds: 0.07, volume: 0.05, type: 'triangle' },
  pass: { from: 600, to: 600, seconds: 0.05, volume: 0.03, type: 'sine' },
  star: { from: 880, to: 1320, seconds: 0.12, volume: 0.07, type: 'sine' },
  shield: { from: 500, to: 160, seconds: 0.3, volume: 0.1, type: 'square' },
  end: { from: 220, to: 60, seconds: 0.5, volume: 0.12, type: 'sawtooth' },
};

let context = null;

/** A button that switches the sound; returns what plays it. */
export function soundSwitch(button) {
  button.addEventListener('click', () => {
    const on = button.getAttribute('aria-pressed') !== 'true';
    button.setAttribute('aria-pressed', String(on));
    // Browsers let sound begin within a click only.
    if (on) context ??= new AudioContext();
    void context?.[on ? 'resume' : 'suspend']();
  });
  return (name) => {
    if (button.getAttribute('aria-pressed') === 'true') tone(TONES[name]);
  };
}

function tone({ from, to, seconds, volume, type }) {
  const [start, end] = [context.currentTime, context.currentTime + seconds];
  const oscillator = new OscillatorNode(context, { type, frequency: from });
  const gain = new GainNode(context, { gain: volume });
  oscillator.frequency.exponentialRampToValueAtTime(to, end);
  gain.gain.exponentialRampToValueAtTime(0.0001, end);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(start);
  oscillator.stop(end);
}
