/** The styles of members' pages: for phones, in light and dark, and on paper. The code is black on white everywhere. */
const style = `
:root { color-scheme: light dark; --line: light-dark(#d8dde2, #3b4148); --dim: light-dark(#4a5560, #b4bdc7); }
* { box-sizing: border-box; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; background: light-dark(#f3f5f7, #14171a); color: light-dark(#15191d, #eef1f4); overflow-wrap: anywhere; }
header { background: var(--accent); color: var(--on-accent); padding: 1.5rem 1rem 4.5rem; text-align: center; }
header p, h1 { margin: 0; display: -webkit-box; overflow: hidden; -webkit-box-orient: vertical; -webkit-line-clamp: 3; }
header img { display: block; margin: 0 auto .75rem; border-radius: 1rem; background: #fff; object-fit: contain; }
h1 { font-size: 1.5rem; line-height: 1.25; }
main { max-width: 32rem; margin: -3.5rem auto 0; padding: 0 1rem 2rem; display: grid; gap: 1rem; }
section { background: light-dark(#fff, #1f2429); border: 1px solid var(--line); border-radius: .75rem; padding: 1rem; min-width: 0; }
h2 { margin: 0 0 .25rem; font-size: .9rem; font-weight: 600; color: var(--dim); }
p { margin: 0; }
.code { background: #fff; color: #000; text-align: center; }
.code svg { display: block; margin: 0 auto; fill: #000; background: #fff; }
.code .squares { width: min(16rem, 100%); aspect-ratio: 1; }
.code .bars { width: 100%; height: 4.5rem; }
.code p { font: 600 1.1rem/1.5 ui-monospace, monospace; }
.button { display: block; padding: .75rem; border-radius: .75rem; background: #000; border: 1px solid #a6a6a6; color: #fff; text-align: center; text-decoration: none; font-weight: 600; }
.large { font-size: 1.75rem; font-weight: 700; line-height: 1.2; font-variant-numeric: tabular-nums; }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1rem; }
.dim { color: var(--dim); font-size: .9rem; }
ul { margin: 0; padding: 0; list-style: none; }
li { padding: .6rem 0; border-top: 1px solid var(--line); display: flex; justify-content: space-between; gap: 1rem; }
li:first-child { border-top: 0; }
li > * { min-width: 0; }
li > :first-child { flex: 1; }
li > :last-child { text-align: end; flex: none; max-width: 50%; font-variant-numeric: tabular-nums; }
progress { appearance: none; width: 100%; height: .6rem; border: 0; border-radius: 1rem; overflow: hidden; background: var(--line); }
progress::-webkit-progress-bar { background: var(--line); }
progress::-webkit-progress-value { background: var(--accent); }
progress::-moz-progress-bar { background: var(--accent); }
code { font: 600 1rem ui-monospace, monospace; }
@media print {
  body, section { background: #fff; color: #000; }
  header { background: #fff; color: #000; padding: 0 0 1rem; }
  main { margin: 0 auto; }
  section { break-inside: avoid; }
  .dim, h2 { color: #333; }
  .button { display: none; }
}`;

/** Whether text on a colour is easier to read in black than in white, by the contrast that WCAG defines. */
function isLight(color: string): boolean {
  const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = parts.map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179;
}

const usualColor = "#0b7285";

/** The colour of a business, and that of text on it. @param color such as #0b7285 */
export function accentOf(color: string | null) {
  const accent = color !== null && /^#[\da-f]{6}$/i.test(color) ? color : usualColor;
  return { accent, onAccent: isLight(accent) ? "#000" : "#fff" };
}

export function pageStyle(color: string | null): string {
  const { accent, onAccent } = accentOf(color);
  return `:root { --accent: ${accent}; --on-accent: ${onAccent}; }${style}`;
}
