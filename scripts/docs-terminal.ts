/** The README's picture: the ladder in a terminal, as an SVG whose steps appear one after another. */

const [COLUMNS, ROWS] = [104, 21];
const [CHAR_PX, LINE_PX, MARGIN_PX] = [7.8, 19, 18];
const STEP_SECONDS = 7;

const COLOURS = { back: "#15201c", text: "#d7e2dc", prompt: "#7fd1ae", mark: "#ffd479", faint: "#8aa39a" };

/** Renders the commands of a transcript and their answers. */
export function renderTerminal(transcript: string): string {
  const steps = transcript.split(/\n\n(?=\$ )/).map(layOut);
  const width = Math.ceil(COLUMNS * CHAR_PX + 2 * MARGIN_PX);
  const height = ROWS * LINE_PX + 2 * MARGIN_PX;
  const seconds = steps.length * STEP_SECONDS;
  const share = 100 / steps.length;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A question, the passage that answers it, and a window of the text around it, in a terminal">`,
    "<style>",
    `text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:${COLOURS.text};white-space:pre}`,
    `.p{fill:${COLOURS.prompt};font-weight:bold}.m{fill:${COLOURS.mark};font-weight:bold}.f{fill:${COLOURS.faint}}`,
    `g{opacity:0;animation:show ${seconds}s infinite}`,
    `@keyframes show{0%{opacity:0}1%,${(share - 1).toFixed(1)}%{opacity:1}${share.toFixed(1)}%,100%{opacity:0}}`,
    "@media (prefers-reduced-motion:reduce){g{animation:none}g:first-of-type{opacity:1}}",
    "</style>",
    `<rect width="${width}" height="${height}" rx="10" fill="${COLOURS.back}"/>`,
    ...steps.map((lines, at) => renderStep(lines, at * STEP_SECONDS)),
    "</svg>",
    "",
  ].join("\n");
}

function renderStep(lines: readonly string[], delay_seconds: number): string {
  const rows = lines.map((line, at) => {
    const y = MARGIN_PX + LINE_PX * (at + 0.75);
    return `<text x="${MARGIN_PX}" y="${y}">${renderLine(line)}</text>`;
  });
  return [`<g style="animation-delay:${delay_seconds}s">`, ...rows, "</g>"].join("\n");
}

/** Wraps the lines of a step to the width, and cuts it to the height. */
function layOut(step: string): string[] {
  const lines = step.split("\n").flatMap(wrap);
  return lines.length <= ROWS ? lines : [...lines.slice(0, ROWS - 1), "…"];
}

function wrap(line: string): string[] {
  if (line.length <= COLUMNS) return [line];
  const space = line.lastIndexOf(" ", COLUMNS);
  const at = space < COLUMNS / 2 ? COLUMNS : space;
  return [line.slice(0, at), ...wrap(`  ${line.slice(at).trimStart()}`)];
}

function renderLine(line: string): string {
  if (line.startsWith("$ ")) return `<tspan class="p">${escapeXml(line)}</tspan>`;
  if (/^(?:\{|-----|more: |next: |previous: |record: |whole record|around it)/.test(line))
    return `<tspan class="f">${escapeXml(line)}</tspan>`;
  return escapeXml(line).replace(/⟦([^⟧]*)⟧?/g, '<tspan class="m">$1</tspan>');
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
