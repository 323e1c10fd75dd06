/** The page on which an owner chooses what a client reads: choices, preview and decision side by side. */
export const choice = `
.preview .card { padding: 0.8rem 1rem; margin-bottom: 0.75rem; }
.preview .card p { margin-bottom: 0.35rem; }
.samples { display: grid; gap: 0.5rem; margin-top: 0.4rem; }
.samples .sample { margin: 0; max-height: 13rem; padding: 0.6rem 0.8rem; }
.decide { background: var(--sheet); border: 1px solid var(--line); border-radius: var(--round); padding: 0.75rem 0.9rem; }
.decide label[for] { font-weight: 550; margin-inline-end: 0.5rem; }
.decide .check { display: flex; }
.decide .actions { margin-top: 0.6rem; gap: 0.5rem; } .decide .actions button { padding-inline: 0.75rem; }
.terms { display: flex; flex-wrap: wrap; gap: 0.3rem 1.25rem; align-items: center; margin-bottom: 0.4rem; }
.terms details[open] { flex-basis: 100%; }
.budget { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 0.5rem; margin-top: 0.4rem; font-size: 0.87rem; }
.budget input { display: block; width: 100%; }
.choice .card { padding: 0.7rem 0.9rem; margin-bottom: 0.75rem; }
.choice .who > label { margin-top: 0; }
.choice .who > input { max-width: none; }
.choice .stream { padding: 0.35rem 0; } .choice .stream:first-of-type { border-top: 0; }
.choice fieldset > .all { margin-top: -0.9rem; background: var(--sheet); }
.choice legend { font-weight: 620; }
.all { float: inline-end; min-height: 1.8rem; padding-block: 0; font-size: 0.87rem; }
.narrow { margin: 0.35rem 0 0.5rem; padding-inline-start: 0.9rem; border-inline-start: 3px solid var(--wash); }
.stream .narrow details { margin: 0.3rem 0 0; }
.finder { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.15rem 0.4rem; align-items: center; margin: 0.25rem 0 0.5rem; }
.finder label { grid-column: 1 / -1; font-size: 0.87rem; color: var(--soft); }
.finder input, .finder select, .finder button { min-height: 2.2rem; padding-block: 0.25rem; width: 100%; }
.narrow .chosen { margin: 0.2rem 0 0.5rem; }
label.chip { cursor: pointer; } label.chip:focus-within { outline: 3px solid var(--accent); outline-offset: 2px; }
.values { border: 0; padding: 0; margin: 0 0 0.4rem; display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: baseline; font-size: 0.94rem; }
.choice .values legend { font-size: 0.87rem; font-weight: 550; color: var(--soft); margin: 0; padding: 0; }
.values .check { font-weight: 400; max-width: 100%; } .values .count { color: var(--soft); font-variant-numeric: tabular-nums; }
.values .mode select { min-height: 1.9rem; padding: 0.1rem 0.4rem; font-size: 0.87rem; }
.shows { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 0.2rem 1.25rem; margin: 0.4rem 0; font-size: 0.92rem; }
.show { display: flex; gap: 0.5rem; justify-content: space-between; align-items: center; min-height: 2rem; }
.show select { min-height: 1.9rem; padding: 0.1rem 0.4rem; font-size: 0.87rem; flex: none; }
.choice .masks > summary { font-size: 0.94rem; } .masks .checks { margin: 0; } .masks textarea { display: block; width: 100%; }
.meters { list-style: none; padding: 0; margin: 0 0 0.75rem; font-size: 0.92rem; display: grid; gap: 0.3rem; }
.meters li { display: grid; grid-template-columns: 8rem minmax(4rem, 1fr) auto; gap: 0.75rem; align-items: center; }
meter { width: 100%; height: 0.7rem; }
.hiding { margin: 1rem 0 0; } .hiding .quiet { border-color: var(--line); } .notice.hiding p { margin: 0 0 0.5rem; }
.rows > .unseen .small { color: var(--amber); }
@media (min-width: 64rem) {
  body.bare { display: block; }
  .bare .side { padding: 0.6rem 1.5rem; border-inline-end: 0; }
  .bare main { max-width: 84rem; margin: 0 auto; padding: 0.9rem 1.5rem 1rem; }
  .bare h1 { font-size: 1.35rem; margin-bottom: 0.6rem; }
  .bare .choice { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1.5rem; align-items: start; }
  .bare .consent { display: grid; grid-template-columns: minmax(0, 15rem) minmax(0, 1fr); gap: 1.5rem; align-items: start; }
  .asks .card { padding: 0.8rem 0.9rem; margin-bottom: 0.75rem; font-size: 0.94rem; }
  .bare .choice h2 { margin: 0 0 0.4rem; }
  .choose, .would { max-height: calc(100vh - 7.5rem); display: flex; flex-direction: column; min-height: 0; }
  .choose > .choices, .would > .preview { overflow: auto; flex: 1 1 auto; min-height: 6rem; scrollbar-width: thin; }
  /* Hints at more content below, even where scrollbars are hidden until scrolling. */
  .choices::after, .preview::after { content: ""; display: block; position: sticky; bottom: 0; height: 1.75rem; background: linear-gradient(transparent, var(--paper)); pointer-events: none; }
  .choose > :not(.choices), .would > :not(.preview) { flex: none; }
  .would .decide { margin-top: 0.6rem; } .masks { margin: 0.6rem 0 0; }
}
`;
