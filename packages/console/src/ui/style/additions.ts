/** Styles for what the script adds: copy buttons, the palette, the drop zone. */
export const additions = `
.copy-button { float: inline-end; margin: 0.35rem; padding: 0.15rem 0.7rem; min-height: 2rem; font-size: 0.85rem; }
.drop.over { outline: 3px dashed var(--accent); outline-offset: -0.5rem; }
.drop-hint { margin: 0.4rem 0 0; }
/* A phone has no Ctrl+K, and the row would take a sixth of its screen. */
@media (max-width: 57.9rem) { .side nav li:has(.go-to) { display: none; } }
.go-to { width: 100%; text-align: start; }
.palette { width: min(34rem, calc(100vw - 2rem)); margin-top: 12vh; padding: 0.75rem; border: 1px solid var(--line); border-radius: 14px; background: var(--sheet); color: var(--ink); box-shadow: 0 1rem 3rem rgb(0 0 0 / 0.3); }
.palette::backdrop { background: rgb(0 0 0 / 0.35); }
.palette input { width: 100%; }
.palette ul { list-style: none; padding: 0; margin: 0.5rem 0 0; max-height: 50vh; overflow: auto; }
.palette a, .palette li button { display: block; width: 100%; text-align: start; padding: 0.45rem 0.7rem; border-radius: 8px; text-decoration: none; color: var(--ink); }
.palette a:hover, .palette a:focus-visible { background: var(--wash); }
`;
