/** Colours, typography and the defaults of elements. */
export const base = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#f6f5f1, #151715);
  --sheet: light-dark(#fffefb, #1d201e);
  --ink: light-dark(#20241f, #e7e6df);
  --soft: light-dark(#5b6159, #a5aaa1);
  --line: light-dark(#dedcd3, #343834);
  --accent: light-dark(#17614f, #7fd0b8);
  --on-accent: light-dark(#ffffff, #0d1f19);
  --wash: light-dark(#e6efe9, #23332d);
  --mark: light-dark(#ffe48a, #6b5410);
  --danger: light-dark(#9b2c1d, #f0a294);
  --amber: light-dark(#7a4b00, #e8bd6b);
  --round: 10px;
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0;
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.55 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
h1, h2, h3, legend { line-height: 1.25; text-wrap: balance; font-weight: 620; letter-spacing: -0.01em; }
h1 { font-size: 1.75rem; margin: 0 0 0.75rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 0.75rem; }
h3 { font-size: 1rem; margin: 0 0 0.5rem; }
p { margin: 0 0 0.75rem; }
a { color: var(--accent); text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 0.9em; }
p code:not(.id) { box-decoration-break: clone; -webkit-box-decoration-break: clone; background: var(--wash); border-radius: 4px; padding: 0.1em 0.35em; }
.short { white-space: nowrap; }
mark { background: var(--mark); color: var(--ink); padding: 0.05em 0.15em; border-radius: 3px; }
table { width: 100%; border-collapse: collapse; font-size: 0.94rem; }
th, td { text-align: start; padding: 0.45rem 0.75rem 0.45rem 0; border-top: 1px solid var(--line); vertical-align: baseline; }
time, thead th { white-space: nowrap; }
thead th { border-top: 0; color: var(--soft); font-weight: 500; font-size: 0.85rem; }
tbody th { font-weight: 500; }
th:last-child, td:last-child { padding-inline-end: 0; }
.number { text-align: end; font-variant-numeric: tabular-nums; }
.lead { font-size: 1.08rem; color: var(--soft); max-width: 44rem; text-wrap: pretty; }
.small { font-size: 0.87rem; color: var(--soft); }
.warn { color: var(--amber); }
.hidden {
  position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0;
  overflow: hidden; clip-path: inset(50%); white-space: nowrap; border: 0;
}
`;
