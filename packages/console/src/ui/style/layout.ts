/** The layout: navigation at the side, or on top of a narrow page. */
export const layout = `
.skip { position: absolute; inset-inline-start: 1rem; top: -4rem; padding: 0.5rem 1rem; background: var(--accent); color: var(--on-accent); border-radius: 0 0 var(--round) var(--round); z-index: 1; }
.skip:focus { top: 0; }
.side { position: relative; padding: 1rem 1rem 0.5rem; border-bottom: 1px solid var(--line); background: var(--sheet); }
.brand { font-weight: 700; font-size: 1.15rem; letter-spacing: -0.02em; color: var(--ink); text-decoration: none; }
.side nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: 0.1rem 0.15rem; margin: 0.5rem -0.6rem 0; padding: 0; }
.side nav a { display: block; padding: 0.35rem 0.6rem; border-radius: 7px; color: var(--ink); text-decoration: none; }
.side nav a:hover { background: var(--wash); }
.side nav a[aria-current] { background: var(--wash); color: var(--accent); font-weight: 600; }
.side form { position: absolute; top: 0.55rem; inset-inline-end: 0.5rem; }
main { padding: 1.5rem 1rem 4rem; max-width: 62rem; }
.cards { display: grid; gap: 1rem; }
.card { background: var(--sheet); border: 1px solid var(--line); border-radius: var(--round); padding: 1.1rem 1.15rem; margin: 0 0 1rem; min-width: 0; }
.cards > .card { margin: 0; }
.card > :last-child, .card article > :last-child { margin-bottom: 0; }
.card > h2:first-child, .card article > h2:first-child { margin-top: 0; margin-bottom: 0.3rem; }
.window-pages { max-width: 48rem; }
.pages { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; justify-content: space-between; margin: 1rem 0; }
.actions { display: flex; flex-wrap: wrap; gap: 0.75rem 1.25rem; align-items: center; margin-top: 1rem; }
@media (min-width: 58rem) {
  body { display: grid; grid-template-columns: 14rem minmax(0, 1fr); min-height: 100vh; }
  .side { border-bottom: 0; border-inline-end: 1px solid var(--line); padding: 1.75rem 1.25rem; }
  .side nav ul { flex-direction: column; margin-top: 1.5rem; gap: 0.15rem; }
  .side form { position: static; margin: 1.5rem -0.6rem 0; }
  main { padding: 2.25rem 2.75rem 5rem; }
  h1 { font-size: 2rem; }
  .public { display: block; }
  .public .side { border: 0; background: none; max-width: 34rem; margin: 12vh auto 0; padding: 0; }
  .public main { max-width: 34rem; margin: 0 auto; padding: 1.5rem 0; }
}
.bare .side { border-bottom: 1px solid var(--line); }
@media (min-width: 80rem) {
  /* Columns, not a grid: a short card leaves no gap beside a long one. */
  .cards:not(:has(> .card:only-child)) { display: block; columns: 2; column-gap: 1rem; }
  .cards > .card { break-inside: avoid; margin-bottom: 1rem; }
}
`;
