/** Replaces parts of a page with those of a newer answer of the server: results, previews, neighbours, progress. */
export const liveScript = `
const each = (selector, use, root = document) => root.querySelectorAll(selector).forEach(use);
const make = (name, text, props = {}) => Object.assign(document.createElement(name), { textContent: text }, props);
let asking;
async function ask(url, init = {}) {
  asking?.abort();
  asking = new AbortController();
  const answer = await fetch(url, { ...init, signal: asking.signal, headers: { Accept: "text/html" } });
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}
function renew(id, page) {
  const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
  if (!old || !fresh) return false;
  old.replaceWith(document.adoptNode(fresh));
  return true;
}
function debounce(use, ms) {
  let timer;
  return () => { clearTimeout(timer); timer = setTimeout(use, ms); };
}
each("form[data-live]", (form) => {
  const show = debounce(async () => {
    const query = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
    const url = form.action + "?" + query;
    try {
      const page = await ask(url);
      if (!renew(form.dataset.live, page)) return;
      history.replaceState(null, "", url);
      document.title = page.title;
      document.querySelector("h1").textContent = page.querySelector("h1").textContent;
    } catch (error) { if (error.name !== "AbortError") throw error; }
  }, 300);
  form.addEventListener("input", (event) => { if (event.target.type !== "date" || event.target.value) show(); });
});
document.addEventListener("toggle", async ({ target }) => {
  const place = target.open && target.querySelector(":scope > [data-from]");
  if (!place || place.dataset.from === "") return;
  const from = place.dataset.from;
  place.dataset.from = "";
  const answer = await fetch(from);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const found = page.querySelector(".around") ?? page.querySelector("main");
  if (found) place.replaceChildren(document.adoptNode(found));
}, true);
each("main[data-renew]", ({ dataset }) => {
  const again = async () => {
    const page = await ask(location.href).catch(() => undefined);
    if (page) renew(dataset.renew, page);
    if (!page || page.querySelector("main[data-renew]")) setTimeout(again, 1500);
  };
  setTimeout(again, 1500);
});
`;
