/** A record: message, event, document or card, and the conversation around it. */
export const record = `
.crumbs { margin-bottom: 0.75rem; }
.page-foot { border-top: 1px solid var(--line); padding-top: 0.75rem; margin-top: 2rem; }
.record { background: var(--sheet); border: 1px solid var(--line); border-radius: var(--round); padding: 1.1rem 1.25rem; max-width: 52rem; }
.record.document { max-width: none; }
.initials {
  display: inline-grid; place-items: center; flex: none; width: 2.4rem; height: 2.4rem; border-radius: 50%;
  font-size: 0.85rem; font-weight: 620; background: var(--tint); color: var(--ink); overflow: hidden;
}
img.initials { object-fit: cover; }
.who .small { font-weight: 400; }
.tint0 { --tint: light-dark(#d8e8df, #26443a); } .tint1 { --tint: light-dark(#e6e0f2, #3b3352); }
.tint2 { --tint: light-dark(#f3e3cf, #54401f); } .tint3 { --tint: light-dark(#dbe6f3, #27405a); }
.tint4 { --tint: light-dark(#f3dbdc, #58302f); } .tint5 { --tint: light-dark(#e5ead0, #3d4620); }
.message-head, .card-head { display: flex; gap: 0.9rem; align-items: flex-start; }
.message-head > div, .card-head > div { flex: 1; min-width: 0; }
.message-head { border-bottom: 1px solid var(--line); padding-bottom: 0.9rem; margin-bottom: 1rem; }
.who { margin-inline-end: 0.6rem; }
.times-of { color: var(--soft); font-size: 0.87rem; }
.when { font-size: 1.15rem; font-weight: 550; }
.when .times-of { color: var(--ink); font-size: inherit; }
.line { display: flex; gap: 0.4rem; align-items: baseline; font-size: 0.94rem; }
.line > .small { flex: none; }
.line p, .line ul { margin: 0; }
.line .value { display: inline; } .line .value li { display: inline; }
.line .value li:not(:last-child)::after { content: ", "; }
.body { line-height: 1.65; max-width: 46rem; }
.body blockquote { margin: 0.4rem 0; padding-inline-start: 0.9rem; border-inline-start: 3px solid var(--line); color: var(--soft); }
.quote { margin: 0.4rem 0; }
.quote > summary { display: inline-block; border: 1px solid var(--line); border-radius: 999px; padding: 0.1rem 0.75rem; font-size: 0.85rem; }
.value { list-style: none; padding: 0; margin: 0; }
.depth1 { margin-inline-start: 1rem; } .depth2 { margin-inline-start: 2rem; } .depth3, .depth4 { margin-inline-start: 3rem; }
.rest, .attached { border-top: 1px solid var(--line); margin-top: 1rem; padding-top: 0.75rem; }
.attached h2 { margin: 0 0 0.5rem; font-size: 1rem; text-transform: capitalize; }
.attached ul { list-style: none; padding: 0; margin: 0; display: flex; flex-wrap: wrap; gap: 0.75rem; }
.attached > ul > li { border: 1px solid var(--line); border-radius: 8px; padding: 0.6rem 0.8rem; min-width: 0; max-width: 100%; }
.file img { display: block; max-width: 100%; max-height: 20rem; border-radius: 6px; border: 1px solid var(--line); margin-bottom: 0.4rem; background: #fff; }
.attached .file img { max-height: 9rem; }
.file p { margin: 0; }
.beside { display: grid; gap: 1.25rem; }
.beside .fields { margin-top: 0; } .beside .fields > div:first-child { border-top: 0; padding-top: 0; }
.card-head .fields { margin-top: 0; } .card-head > div > .fields:first-child > div:first-child { border-top: 0; padding-top: 0.45rem; }
.record .fields > div { padding: 0.5rem 0; } .record .fields dd > p:last-child { margin-bottom: 0; }
.snippet { margin: 0.1rem 0 0; color: var(--soft); font-size: 0.92rem; display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; }
.row-facts { display: flex; flex-wrap: wrap; gap: 0 0.6rem; max-width: 24rem; }
.row-facts > span { max-width: 16rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.row-facts > .whole { white-space: normal; }
.talk { list-style: none; padding: 0; margin: 0 0 1rem; max-width: 52rem; }
.talk > li { display: flex; gap: 0.75rem; padding: 0.6rem 0.75rem; border-radius: var(--round); }
.talk > li > div { min-width: 0; flex: 1; }
.turn-head { margin: 0; }
/* A whole message is no title: it reads as text, and is still a link. */
.turn-text { color: var(--ink); text-decoration-color: var(--line); }
.talk > li[aria-current] { background: var(--wash); }
.talk .initials { width: 1.9rem; height: 1.9rem; font-size: 0.7rem; }
.talk .aside { border-inline-start: 3px solid var(--line); margin-inline-start: 1.5rem; border-radius: 0 var(--round) var(--round) 0; }
@media (min-width: 44rem) {
  .rows > li:has(> .row-facts) { flex-wrap: nowrap; }
  .row-facts { flex: 0 0 15rem; display: grid; }
  .record > .fields > div, .record .rest .fields > div, .card-head .fields > div { display: grid; grid-template-columns: 9rem minmax(0, 1fr); gap: 0 1rem; align-items: baseline; }
}
@media (min-width: 64rem) { .beside { grid-template-columns: minmax(0, 1fr) 16rem; } }
@media print {
  :root { color-scheme: light; }
  .side, .skip, .page-foot, .pages, .around, .copy-button, .actions, .crumbs, .find, .hiding { display: none; }
  body { display: block; background: #fff; color: #000; }
  main { max-width: none; padding: 0; }
  .record { border: 0; padding: 0; }
  a { color: inherit; text-decoration: none; }
  .record, .message-head { break-inside: auto; }
}
`;
