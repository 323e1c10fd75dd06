/** An animated SVG of screenshots, one after another: it needs no player, and respects `prefers-reduced-motion`. */

/** One picture of the walk, and what it shows. */
interface Frame {
  readonly words: string;
  readonly jpeg: Buffer;
}

const SECONDS = 3.5;
const CAPTION = 44;

/** Renders the walk. */
export function renderWalk(
  frames: readonly Frame[],
  { width, height }: { readonly width: number; readonly height: number },
): string {
  const total = frames.length * SECONDS;
  const share = 100 / frames.length;
  const groups = frames.map(
    (
      { words, jpeg },
      at,
    ) => `<g class="frame" style="animation-delay:${at * SECONDS - (at === 0 ? 0 : total)}s"${at === 0 ? ' data-first=""' : ""}>
<image width="${width}" height="${height}" y="${CAPTION}" href="data:image/jpeg;base64,${jpeg.toString("base64")}"/>
<text x="${width / 2}" y="29" text-anchor="middle">${words}</text></g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height + CAPTION}" role="img" aria-label="A walk through the console: ${frames.map(({ words }) => words).join("; ")}">
<style>.frame{opacity:0;animation:show ${total}s infinite}text{font:600 20px system-ui,sans-serif;fill:#fff}
@keyframes show{0%,${(share - 1).toFixed(2)}%{opacity:1}${share.toFixed(2)}%,99%{opacity:0}100%{opacity:1}}
@media (prefers-reduced-motion:reduce){.frame{animation:none}.frame[data-first]{opacity:1}}</style>
<rect width="${width}" height="${height + CAPTION}" rx="12" fill="#17614f"/>
${groups.join("\n")}
</svg>
`;
}
