/** Form controls and buttons. */
export const forms = `
input, select, textarea, button { font: inherit; color: inherit; }
input:not([type="checkbox"], [type="hidden"]), select, textarea {
  background: var(--sheet); border: 1px solid light-dark(#8b9089, #757b74); border-radius: 8px;
  padding: 0.5rem 0.7rem; min-height: 2.6rem; max-width: 100%;
}
.card > label { display: block; font-weight: 550; margin: 0.75rem 0 0.3rem; }
.card > label:first-of-type { margin-top: 0; }
.options > label { display: block; font-weight: 550; margin: 0.75rem 0 0.3rem; } .card > input + .options { margin: 0 0 0.75rem; }
.card > input:not([type="checkbox"], [type="hidden"]), .card > select, .card > textarea, .options > input, .options > select { display: block; width: 100%; max-width: 30rem; }
.card > :not([type="hidden"]) + button { margin-top: 1rem; }
button, .button {
  display: inline-block; border: 1px solid light-dark(#8b9089, #757b74); background: var(--sheet); color: var(--ink);
  border-radius: 8px; padding: 0.5rem 1rem; min-height: 2.6rem; cursor: pointer; text-decoration: none; font-weight: 550; line-height: 1.4;
}
button:hover, .button:hover { background: var(--wash); }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.main:hover { filter: brightness(1.1); }
button:disabled { opacity: 0.45; cursor: not-allowed; filter: none; }
button.danger, .button.danger { color: var(--danger); border-color: currentColor; }
button.quiet { border-color: transparent; background: none; color: var(--soft); padding-inline: 0.6rem; font-weight: 450; }
button.quiet:hover { color: var(--ink); background: var(--wash); }
.find { display: flex; flex-wrap: wrap; gap: 0.5rem; margin: 0 0 1.25rem; align-items: end; }
.find > input[type="search"] { flex: 1 1 12rem; min-width: 0; }
.find.wide input[type="search"] { flex: 1 1 calc(100% - 8rem); }
.find label:not(.hidden) { display: flex; flex-direction: column; font-size: 0.87rem; color: var(--soft); flex: 1 1 9rem; min-width: 0; }
.find label input, .find label select { width: 100%; min-width: 0; color: var(--ink); }
.find > a { align-self: center; }
.filters { flex: 1 1 100%; min-width: 0; } .filters > summary { padding-block: 0.3rem; }
.filters > div { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: end; }
@media (min-width: 44rem) {
  /* Where a fold can be held open, it is none. */
  @supports selector(::details-content) { .filters, .filters > div { display: contents; } .filters > summary { display: none; } .filters::details-content { display: contents; content-visibility: visible; } }
}
.card > input + details, .card > button + details, .card > .actions + details { margin-top: 0.75rem; }
fieldset { border: 1px solid var(--line); min-width: 0; }
legend { padding: 0 0.4rem; margin-inline-start: -0.4rem; font-size: 1.05rem; }
.stream { border-top: 1px solid var(--line); padding: 0.6rem 0; }
.stream:last-child { padding-bottom: 0; }
.stream details { margin-inline-start: 1.75rem; }
.check { display: inline-flex; gap: 0.6rem; align-items: baseline; font-weight: 500; padding: 0.15rem 0; }
.card > .check { display: flex; }
details > .card { margin: 0.6rem 0 0; }
[aria-invalid] { outline: 2px solid var(--danger); }
.check input { width: 1.05rem; height: 1.05rem; accent-color: var(--accent); transform: translateY(0.15rem); flex: none; }
.checks { display: flex; flex-wrap: wrap; gap: 0.1rem 1.25rem; margin: 0.4rem 0; }
.checks .check { font-weight: 400; font-size: 0.94rem; }
.times { display: flex; flex-wrap: wrap; gap: 0.5rem 1.25rem; font-size: 0.94rem; margin: 0.5rem 0; }
summary { cursor: pointer; color: var(--soft); font-size: 0.94rem; }
details.card > summary { color: var(--ink); font-weight: 600; font-size: 1rem; }
details.card { padding-block: 0.75rem; margin-bottom: 0.6rem; }
details.card[open] > summary { margin-bottom: 0.6rem; }
progress { display: block; margin-bottom: 0.75rem; width: 100%; max-width: 30rem; height: 0.75rem; accent-color: var(--accent); }
`;
