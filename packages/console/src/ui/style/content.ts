/** Records, evidence, windows, lists and plots. */
export const content = `
.plot { margin: 0.75rem 0 0.9rem; }
.plot svg { display: block; width: 100%; height: 3.25rem; fill: var(--accent); opacity: 0.8; border-bottom: 1px solid var(--line); }
.plot figcaption span { white-space: nowrap; }
.plot .small { margin: 0.3rem 0 0; }
.source > header { margin-bottom: 0.75rem; display: flex; gap: 0.75rem; align-items: center; }
.source > header > div { min-width: 0; } .source h2 { margin: 0; } .source header p { margin: 0; }
.streams { list-style: none; padding: 0; margin: 0 0 0.6rem; font-size: 0.94rem; }
.streams li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 1rem; border-top: 1px solid var(--line); padding: 0.35rem 0; }
.streams .small { grid-column: 1 / -1; }
.source-links { display: flex; flex-wrap: wrap; gap: 0.3rem 1.25rem; align-items: baseline; font-size: 0.94rem; }
.source-links details[open] { flex-basis: 100%; order: 1; }
.tour ol { margin: 0.5rem 0; padding: 0; list-style: none; counter-reset: step; display: grid; gap: 0.75rem; }
.tour li { counter-increment: step; padding-inline-start: 2.4rem; position: relative; }
.tour li::before { content: counter(step); position: absolute; inset-inline-start: 0; top: 0.1rem; width: 1.7rem; height: 1.7rem; border-radius: 50%; display: grid; place-items: center; background: var(--wash); font-weight: 620; font-size: 0.85rem; }
.tour .small { display: block; } .card.tour > button.quiet { margin: 0 -0.6rem -0.4rem; }
@media (min-width: 64rem) { .tour ol { grid-template-columns: repeat(3, 1fr); } }
.plot figcaption { display: flex; justify-content: space-between; gap: 0.75rem; font-size: 0.78rem; color: var(--soft); margin-top: 0.3rem; font-variant-numeric: tabular-nums; }
.waiting:not(:only-child) { display: none; } .hit-head .text { white-space: normal; }
.hits { list-style: none; padding: 0; margin: 0; }
.facets { margin: 0 0 1.25rem; display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.45rem; }
.facets > p { margin: 0; }
/* What does not fit on the line of its name is below the others. */
@media (min-width: 44rem) { .facet { padding-inline-start: 5rem; } .facet > .small:first-child { margin-inline-start: -5rem; width: 4.65rem; } }
.facet { display: flex; flex-wrap: wrap; gap: 0.35rem; align-items: baseline; }
.facet > .small:first-child { flex: 0 0 4.5rem; }
.facet summary { font-size: 0.85rem; padding: 0.15rem 0.4rem; }
.facet details[open] { flex-basis: 100%; display: flex; flex-wrap: wrap; gap: 0.35rem; }
.facet details[open] .chip { margin: 0.2rem 0.35rem 0 0; }
.not-searched { margin-bottom: 0.75rem; } .not-searched ul { margin: 0.3rem 0 0; padding-inline-start: 1.2rem; }
/* On a phone each facet is one line to swipe, so that the results are in sight. */
@media (max-width: 44rem) { .facet:not(:has(details[open])) { flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; padding-block: 3px; position: relative; } .facet:not(:has(details[open])) > * { flex-shrink: 0; } .facets { gap: 0.15rem; } }
.chip { display: inline-block; max-width: 20rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; vertical-align: bottom; border: 1px solid var(--line); border-radius: 999px; padding: 0.15rem 0.75rem; font-size: 0.87rem; text-decoration: none; color: var(--ink); background: var(--sheet); }
.chip:hover { background: var(--wash); }
.chip.on { background: var(--wash); border-color: var(--accent); }
.chip .count { color: var(--soft); font-variant-numeric: tabular-nums; }
.chosen { list-style: none; padding: 0; margin: 0 0 0.75rem; display: flex; flex-wrap: wrap; gap: 0.4rem; }
.hit-head { display: flex; gap: 0.75rem; align-items: flex-start; }
.hit-head > div { min-width: 0; }
.hit-head h2 { margin: 0; }
.hit-head p { margin: 0; }
.hit-foot { display: flex; flex-wrap: wrap; gap: 0.2rem 1.25rem; margin: 0.6rem 0 0; }
.hit-foot:empty { display: none; }
.word { font-weight: 550; color: var(--ink); } .word:not(:last-child)::after { content: ","; }
.unfold { margin-top: 0.5rem; }
.unfold .around h2 { display: none; }
.label { color: var(--amber); margin-bottom: 0.2rem; }
.evidence.similar_passage { border-inline-start-style: dashed; border-color: var(--amber); }
.examples div { display: grid; gap: 0 1rem; padding: 0.35rem 0; }
.examples dd { margin: 0; color: var(--soft); }
kbd { border: 1px solid var(--line); border-radius: 5px; padding: 0 0.35rem; font-size: 0.85em; background: var(--paper); }
@media (min-width: 44rem) { .examples div { grid-template-columns: 20rem 1fr; } }
.text { white-space: pre-wrap; unicode-bidi: plaintext; }
.evidence { border-inline-start: 3px solid var(--wash); padding-inline-start: 0.9rem; margin-top: 0.75rem; }
.evidence p { margin-bottom: 0.3rem; }
.fields { margin: 1.25rem 0 0; }
.fields > div { border-top: 1px solid var(--line); padding: 0.8rem 0; }
.fields dt { font-weight: 600; font-size: 0.87rem; color: var(--soft); }
.fields dd { margin: 0.2rem 0 0; }
.fields dd p { margin-bottom: 0.3rem; }
.window { background: var(--sheet); border: 1px solid var(--line); border-radius: var(--round); padding: 1.25rem; max-width: 48rem; line-height: 1.65; }
.window mark:target { outline: 2px solid var(--accent); scroll-margin-block: 30vh; }
.rows { list-style: none; padding: 0; margin: 0 0 1rem; }
.rows > li { border-top: 1px solid var(--line); padding: 0.6rem 0; display: flex; flex-wrap: wrap; gap: 0.1rem 1rem; justify-content: space-between; align-items: baseline; }
.rows > li > :first-child { flex: 1 1 18rem; min-width: 0; }
[data-item]:focus-within { background: var(--wash); border-radius: 8px; }
.series0 { fill: var(--accent); background: var(--accent); } .series1 { fill: #c98a2b; background: #c98a2b; } .series2 { fill: #7a6bb8; background: #7a6bb8; }
.series3 { fill: #b8574f; background: #b8574f; } .series4 { fill: var(--soft); background: var(--soft); }
.swatch { display: inline-block; width: 0.7rem; height: 0.7rem; border-radius: 3px; margin-inline-end: 0.5rem; }
.scroll { overflow-x: auto; } .scroll th, .scroll td { white-space: nowrap; }
@media (max-width: 44rem) { .summary tr > :nth-child(3) { display: none; } .scroll table { font-size: 0.8rem; } .scroll thead th { font-size: 0.72rem; } .scroll th, .scroll td { padding-inline-end: 0.4rem; } .scroll tbody th { white-space: normal; min-width: 4.6rem; } }
.receipt { padding-inline-start: 1.5rem; max-width: 52rem; }
.receipt > li { padding: 0.5rem 0; border-top: 1px solid var(--line); }
.receipt > li > .small { float: inline-end; } .receipt > li::after { content: ""; display: block; clear: both; }
@media (max-width: 44rem) { .receipt > li > .small { float: none; display: block; } }
.receipt ul { list-style: none; padding: 0; margin: 0.2rem 0 0; font-size: 0.87rem; color: var(--soft); clear: both; }
.receipt .refused { color: var(--danger); }
.log code { font-size: 0.85rem; white-space: nowrap; }
.log ul { list-style: none; margin: 0.3rem 0 0; padding-inline-start: 1.1rem; font-size: 0.94rem; }
.log .refused { color: var(--danger); }
.log .refused .small { color: inherit; }
.cover { list-style: none; padding: 0; margin: 0 0 0.75rem; }
.cover li { border-top: 1px solid var(--line); padding: 0.4rem 0; }
.cover strong { font-weight: 550; }
.id { color: var(--soft); }
.copy, .sample {
  background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: 0.7rem 0.9rem;
  white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 0 0.75rem;
}
.copy { user-select: all; }
.sample { max-height: 16rem; overflow: auto; font-size: 0.85rem; }
.card .copy:last-child { margin-bottom: 0; }
.notice:empty { display: none; }
.notice { border: 1px solid currentColor; color: var(--amber); border-radius: 8px; padding: 0.6rem 0.9rem; max-width: 44rem; }
.claims { border-style: dashed; }
.claims blockquote { margin: 0 0 0.75rem; padding-inline-start: 0.9rem; border-inline-start: 3px solid var(--line); font-style: italic; }
`;
