// How a round looks. Nothing here changes what happens.

import { BLADE, FIELD, SPIKE } from './rules.js';

const { width, height, wall, coinY, coin } = FIELD;
const GOLD = '#ffd257';
const CORAL = '#ff5d73';
const MINT = '#7df5c6';
const SKY = '#8ad4ff';

/** A brush for the canvas. `happened` takes in a tick's events, `frame` draws; `ahead` is the part of a tick already gone. */
export function picture(canvas) {
  const brush = canvas.getContext('2d');
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const trail = [];
  let sparks = [];
  let shake = 0;
  let pop = 0;

  function burst(x, y, color, count) {
    for (let i = 0; i < (calm ? count / 3 : count); i++) {
      const angle = Math.random() * Math.PI * 2;
      const speed = 1 + Math.random() * 4;
      sparks.push({ x, y, color, dx: Math.cos(angle) * speed, dy: Math.sin(angle) * speed, life: 1 });
    }
  }

  return {
    happened(round) {
      trail.unshift({ x: round.x, at: round.distance });
      trail.length = Math.min(trail.length, 16);
      for (const spark of sparks) {
        spark.x += spark.dx;
        spark.y += spark.dy += 0.08;
        spark.life -= 0.03;
      }
      sparks = sparks.filter(({ life }) => life > 0);
      shake *= 0.9;
      pop *= 0.88;
      for (const event of round.events) {
        if (event === 'star') burst(round.x, coinY, MINT, 16);
        if (event === 'shield') burst(round.x, coinY, SKY, 36);
        if (event === 'end') burst(round.x, coinY, GOLD, 60);
        if (event === 'flip') burst(round.x, coinY + 6, GOLD, 4);
        if (event === 'star' || event === 'pass') pop = 1;
        if (event === 'shield' || event === 'end') shake = calm ? 0 : 10;
      }
    },

    frame(round, ahead) {
      const scale = fit(canvas);
      brush.setTransform(scale, 0, 0, scale, 0, 0);
      brush.fillStyle = '#100d24';
      brush.fillRect(0, 0, width, height);
      brush.translate((Math.random() - 0.5) * shake, (Math.random() - 0.5) * shake);
      const distance = round.distance + round.speed * ahead;
      backdrop(brush, distance);
      number(brush, round.score, pop);
      walls(brush, distance);
      for (const thing of round.things) {
        const y = coinY - (thing.at - distance);
        if (y < -60 || y > height + 60) continue;
        if (thing.kind === 'spike') spike(brush, thing.left, y);
        else if (thing.kind === 'blade') blade(brush, thing.x, y, distance);
        else if (!thing.done) star(brush, thing.x, y, distance);
      }
      tail(brush, trail, distance);
      if (!round.over) player(brush, round, ahead);
      for (const { x, y, color, life } of sparks) {
        brush.globalAlpha = life;
        brush.fillStyle = color;
        brush.fillRect(x - 2, y - 2, 4, 4);
      }
      brush.globalAlpha = 1;
    },
  };
}

/** Sharp on every screen: as many pixels as the canvas really covers. Returns pixels per unit of the field. */
function fit(canvas) {
  const pixels = Math.round(canvas.clientWidth * devicePixelRatio);
  if (canvas.width !== pixels) {
    canvas.width = pixels;
    canvas.height = Math.round((pixels * height) / width);
  }
  return pixels / width;
}

/** Far lights that pass slowly. */
function backdrop(brush, distance) {
  for (let i = 0; i < 36; i++) {
    const depth = 0.15 + (i % 5) * 0.09;
    brush.fillStyle = `rgb(190 170 255 / ${depth * 0.7})`;
    const size = 1 + (i % 3);
    brush.fillRect(wall + ((i * 83) % (width - 2 * wall)), (i * 131 + distance * depth) % height, size, size * 3);
  }
}

/** The score, large and faint, behind everything. */
function number(brush, score, pop) {
  brush.font = `800 ${110 + pop * 16}px system-ui, sans-serif`;
  brush.textAlign = 'center';
  brush.textBaseline = 'middle';
  brush.fillStyle = `rgb(255 255 255 / ${0.2 + pop * 0.25})`;
  brush.fillText(score, width / 2, 170);
}

function walls(brush, distance) {
  for (const [x, edge] of [
    [0, wall],
    [width - wall, width - wall],
  ]) {
    brush.fillStyle = '#2f2763';
    brush.fillRect(x, -20, wall, height + 40);
    brush.fillStyle = '#3d3480';
    for (let y = (distance % 56) - 56; y < height; y += 56) brush.fillRect(x + 5, y, wall - 10, 28);
    brush.fillStyle = '#8c7bff';
    brush.fillRect(edge - 1.5, -20, 3, height + 40);
  }
}

function spike(brush, left, y) {
  const [base, tip] = left ? [wall, wall + SPIKE.deep] : [width - wall, width - wall - SPIKE.deep];
  brush.fillStyle = CORAL;
  shape(brush, [base, y - SPIKE.half, tip, y, base, y + SPIKE.half]);
  brush.fillStyle = '#ff8b9a';
  shape(brush, [base, y - SPIKE.half, tip, y, base, y - SPIKE.half / 3]);
}

function blade(brush, x, y, distance) {
  brush.save();
  brush.translate(x, y);
  brush.fillStyle = CORAL;
  shape(brush, [-BLADE.half, 0, 0, -10, BLADE.half, 0, 0, 10]);
  brush.rotate(distance / 30);
  brush.fillStyle = '#ffb3bd';
  brush.fillRect(-5, -5, 10, 10);
  brush.restore();
}

function star(brush, x, y, distance) {
  const size = 11 + Math.sin(distance / 18) * 1.5;
  const points = [];
  for (let i = 0; i < 8; i++) {
    const reach = i % 2 ? size * 0.38 : size;
    points.push(Math.cos((i * Math.PI) / 4) * reach + x, Math.sin((i * Math.PI) / 4) * reach + y);
  }
  brush.fillStyle = 'rgb(125 245 198 / 0.18)';
  brush.beginPath();
  brush.arc(x, y, size * 1.6, 0, Math.PI * 2);
  brush.fill();
  brush.fillStyle = MINT;
  shape(brush, points);
}

function tail(brush, trail, distance) {
  brush.fillStyle = GOLD;
  trail.forEach(({ x, at }, i) => {
    brush.globalAlpha = 0.28 * (1 - i / trail.length);
    brush.beginPath();
    brush.arc(x, coinY + (distance - at), coin * (1 - i / trail.length), 0, Math.PI * 2);
    brush.fill();
  });
  brush.globalAlpha = 1;
}

/** The coin turns over while it flies, blinks while a used shield still saves it. */
function player(brush, { x, direction, shield, tick, safeUntil, distance }, ahead) {
  const [least, most] = [wall + coin, width - wall - coin];
  const at = Math.min(most, Math.max(least, x + direction * 13 * ahead));
  const flying = Math.sin(((at - least) / (most - least)) * Math.PI);
  brush.save();
  brush.translate(at, coinY);
  if (shield || tick < safeUntil) {
    brush.strokeStyle = SKY;
    brush.lineWidth = 3;
    brush.globalAlpha = shield ? 0.9 : 0.3 + 0.3 * Math.sin(tick);
    brush.beginPath();
    brush.arc(0, 0, coin + 8, 0, Math.PI * 2);
    brush.stroke();
    brush.globalAlpha = 1;
  }
  brush.rotate((flying * direction) / 2);
  brush.scale(1 + flying * 0.12, 1 - flying * 0.12);
  disc(brush, coin, '#c98a1b');
  disc(brush, coin - 2.5, GOLD);
  brush.rotate(distance / 60);
  brush.fillStyle = '#8a5a0b';
  brush.font = `800 ${coin * 1.3}px system-ui, sans-serif`;
  brush.textAlign = 'center';
  brush.textBaseline = 'middle';
  brush.fillText('Q', 0, 1);
  brush.restore();
}

function disc(brush, radius, color) {
  brush.fillStyle = color;
  brush.beginPath();
  brush.arc(0, 0, radius, 0, Math.PI * 2);
  brush.fill();
}

function shape(brush, points) {
  brush.beginPath();
  for (let i = 0; i < points.length; i += 2) brush.lineTo(points[i], points[i + 1]);
  brush.closePath();
  brush.fill();
}
